"""Other right answers to the stubs of module 08: their tests pass with each."""

ANSWERS = {
    "total-norm": """
        By the formula, in float64.
        + if norm_type == math.inf:
        +     return float(np.max([np.abs(array).max() for array in arrays]))
        + total = 0.0
        + for array in arrays:
        +     total += float((np.abs(array).astype(np.float64) ** norm_type).sum())
        + return total ** (1 / norm_type)
    """,
    "clip": """
        By NumPy's minimum, which keeps NaN, and written back through a slice.
        + factor = np.minimum(1.0, max_norm / (norm + 1e-6))
        + for array in arrays:
        +     array[...] = array * factor
    """,
    "advance": """
        Two branches, and the rates one by one.
        + if epoch is None:
        +     scheduler.last_epoch += 1
        +     rates = scheduler.get_lr()
        + else:
        +     scheduler.last_epoch = epoch
        +     rates_of = getattr(scheduler, "_get_closed_form_lr", scheduler.get_lr)
        +     rates = rates_of()
        + for number, group in enumerate(scheduler.optimizer.param_groups):
        +     set_value(group, "lr", rates[number])
        + scheduler._last_lr = values_of(scheduler.optimizer, "lr")
    """,
    "warmup-cosine": """
        By the square of a cosine of half the angle.
        + if step < warmup:
        +     return (step + 1) / warmup
        + if step >= total:
        +     return floor + (1 - floor) * math.cos(math.pi / 2) ** 2
        + progress = (step - warmup) / (total - warmup)
        + return floor + (1 - floor) * math.cos(math.pi * progress / 2) ** 2
    """,
    "plateau": """
        The cooldown first.
        + better = scheduler._is_better(metric, scheduler.best)
        + if better:
        +     scheduler.best = metric
        + cooling = scheduler.in_cooldown
        + scheduler.cooldown_counter -= cooling
        + bad = 0 if better or cooling else scheduler.num_bad_epochs + 1
        + if bad > scheduler.patience:
        +     scheduler._reduce_lr()
        +     scheduler.cooldown_counter = scheduler.cooldown
        +     bad = 0
        + scheduler.num_bad_epochs = bad
    """,
    "accumulate": """
        The weight handed to backward as the gradient of the loss.
        + sizes = [len(batch[-1]) for batch in batches]
        + for batch, size in zip(batches, sizes):
        +     outputs = model(*batch[:-1])
        +     loss = loss_fn(outputs, batch[-1])
        +     is_sum = getattr(loss_fn, "reduction", None) == "sum"
        +     share = 1.0 if is_sum else size / sum(sizes)
        +     meter.add(outputs, batch[-1], mean_loss(loss, loss_fn, batch[-1]).item())
        +     loss.backward(loss.detach() * 0 + share)
    """,
    "training-step": """
        The model cleared, where its parameters are the optimizer's; names for what is used.
        + model, optimizer = trainer.model, trainer.optimizer
        + optimizer.zero_grad(set_to_none=False)
        + accumulate_gradients(model, trainer.loss_fn, list(batches), trainer.meter)
        + norm = trainer.clip_norm
        + if norm is not None:
        +     clip_grad_norm_(list(model.parameters()), max_norm=norm)
        + optimizer.step()
        + schedule = trainer.scheduler
        + if trainer.scheduler_every == "step" and schedule is not None:
        +     schedule.step()
    """,
    "evaluate": """
        Sums by hand.
        + training, totals, count = model.training, {}, 0
        + try:
        +     model.train(False)
        +     for batch in batches:
        +         targets = batch[-1]
        +         with no_grad():
        +             outputs = model(*batch[:-1])
        +             loss = mean_loss(loss_fn(outputs, targets), loss_fn, targets)
        +         found = {"loss": loss.item()}
        +         for name in metrics:
        +             found[name] = float(metrics[name](outputs, targets))
        +         for name, value in found.items():
        +             totals[name] = totals.get(name, 0.0) + value * len(targets)
        +         count += len(targets)
        + finally:
        +     model.train(training)
        + return {name: total / count for name, total in totals.items()}
    """,
    "write-beside": """
        What is left is removed in the end, whatever happened.
        + try:
        +     write(temporary)
        +     os.rename(temporary, path)
        + finally:
        +     if os.path.exists(temporary):
        +         os.unlink(temporary)
    """,
    "resume": """
        Batches passed over with islice.
        + for i in range(len(generators)):
        +     generators[i].set_state(begin[i])
        + batches = iter(loader)
        + if done > 0:
        +     for _ in itertools.islice(batches, done):
        +         pass
        +     for i in range(len(generators)):
        +         generators[i].set_state(now[i])
        + return batches
    """,
    "early-stopping": """
        The waiting counted in one expression.
        + improved = better(value, self.best, self.mode, self.min_delta)
        + self.best = value if improved else self.best
        + self.waited = 0 if improved else self.waited + 1
        + trainer.stop = trainer.stop or self.waited >= self.patience
    """,
    "fit-epoch": """
        Groups made in a loop over the batches, one batch ahead of nothing.
        + def next_group():
        +     group = []
        +     while len(group) < trainer.accumulate:
        +         batch = next(batches, None)
        +         if batch is None:
        +             break
        +         group.append(batch)
        +     return group
        +
        + batches = iter(batches)
        + while not trainer.ended and (group := next_group()):
        +     training_step(trainer, group)
        +     trainer.batch, trainer.step = trainer.batch + len(group), trainer.step + 1
        +     trainer.ended = len(group) != trainer.accumulate
        +     trainer.logs = dict(trainer.meter.means())
        +     trainer.call("on_step_end")
        + if trainer.batch == 0:
        +     raise ValueError("there was no batch to learn from")
        + if validation is not None:
        +     for name, value in trainer.evaluate(validation).items():
        +         trainer.logs["val_" + name] = value
        + schedule = trainer.scheduler
        + if isinstance(schedule, ReduceLROnPlateau):
        +     loss = "loss" if validation is None else "val_loss"
        +     schedule.step(trainer.logs[loss])
        + elif schedule is not None and trainer.scheduler_every == "epoch":
        +     schedule.step()

        The meter's count for whether there was a batch.
        - if not trainer.batch:
        + if trainer.meter.count == 0:

        A function that takes a group; the meter's count; the loss kept apart from the logs.
        + def take():
        +     done = trainer.ended
        +     return [] if done else list(itertools.islice(batches, trainer.accumulate))
        +
        + while group := take():
        +     training_step(trainer, group)
        +     trainer.step, trainer.batch = trainer.step + 1, trainer.batch + len(group)
        +     trainer.ended = len(group) < trainer.accumulate
        +     trainer.logs = trainer.meter.means()
        +     trainer.call("on_step_end")
        + if trainer.meter.count == 0:
        +     raise ValueError("there was not one batch in this epoch")
        + watched_loss = trainer.logs["loss"]
        + if validation is not None:
        +     results = trainer.evaluate(validation)
        +     trainer.logs.update(("val_" + name, value) for name, value in results.items())
        +     watched_loss = results["loss"]
        + if trainer.scheduler and trainer.scheduler_every == "epoch":
        +     plateau = isinstance(trainer.scheduler, ReduceLROnPlateau)
        +     trainer.scheduler.step(*([watched_loss] if plateau else []))
    """,
}
