"""Planted mistakes of module 08: with each in its stub, a test of the stub fails."""

MISTAKES = {
    "total-norm": """
        The norms are added, which is larger than the norm of the whole. (hint 3)
        + return float(sum(np.linalg.norm(array.reshape(-1), norm_type) for array in arrays))

        The norm is always Euclidean. (hint 1)
        + return float(np.sqrt(sum((array**2).sum() for array in arrays)))

        The norm of the norms is always Euclidean, whatever p is. (hint 3)
        - return float(np.linalg.norm(norms, norm_type))
        + return float(np.linalg.norm(norms))

        Powers are taken of the elements themselves, not of their absolute values.
        + if norm_type == math.inf:
        +     return float(np.max([np.abs(array).max() for array in arrays]))
        + return float(sum((a**norm_type).sum() for a in arrays) ** (1 / norm_type))

        The root, which is the power 1/p, is not taken.
        + if norm_type == math.inf:
        +     return float(np.max([np.abs(array).max() for array in arrays]))
        + return float(sum((np.abs(a) ** norm_type).sum() for a in arrays))

        The largest of the norms is returned. (hint 3)
        + return float(max(np.linalg.norm(array.reshape(-1), norm_type) for array in arrays))

        The largest element is used, not the largest absolute value.
        + if math.isinf(norm_type):
        +     return max(float(array.max()) for array in arrays)
          norms = [float(np.linalg.norm(array.reshape(-1), norm_type)) for array in arrays]

        A matrix gets a matrix norm: `np.linalg.norm` means another one there. (hint 1)
        - norms = [float(np.linalg.norm(array.reshape(-1), norm_type)) for array in arrays]
        + norms = [float(np.linalg.norm(array, norm_type)) for array in arrays]

        Python's max passes over a NaN that is not the first.
        + if norm_type == math.inf:
        +     return float(max(np.abs(array).max() for array in arrays))
        + return float(sum((np.abs(a) ** norm_type).sum() for a in arrays) ** (1 / norm_type))

        All arrays are copied at once, as when they are concatenated. (hint 3)
        + joined = np.concatenate([array.reshape(-1) for array in arrays])
        + return float(np.linalg.norm(joined, norm_type))

        The norm of float32 arrays stays a number of NumPy's, which is no `float`.
        + norms = np.array([np.linalg.norm(array.reshape(-1), norm_type) for array in arrays])
        + return np.linalg.norm(norms, norm_type)
    """,
    "clip": """
        Short gradients are made longer. (hint 2)
        + for array in arrays:
        +     array *= max_norm / (norm + 1e-6)

        A long gradient stays as it is: no scaled numbers come into its memory. (hint 3)
        + factor = max_norm / (norm + 1e-6)
        + for array in arrays:
        +     if not factor >= 1:
        +         array = array * factor

        A NaN changes nothing: Python's min(1.0, nan) is 1.0, and no comparison with NaN is true. (hint 2)
        + factor = min(1.0, max_norm / (norm + 1e-6))
        + for array in arrays:
        +     array *= factor

        Every array is scaled separately, which changes the direction. (hint 1)
        + for array in arrays:
        +     own = np.sqrt((array.astype(np.float64) ** 2).sum()) if norm == norm else norm
        +     factor = max_norm / (own + 1e-6)
        +     if not factor >= 1:
        +         array *= factor

        The elements are clipped, not the length.
        + for array in arrays:
        +     np.clip(array, -max_norm, max_norm, out=array)

        A norm between half of the bound and the bound is made longer. (hint 2)
        - if not factor >= 1:
        + if not factor >= 2:

        A long gradient stays as it is: no scaled numbers come into its memory. (hint 3)
        + factor = max_norm / (norm + 1e-6)
        + for number, array in enumerate(arrays):
        +     if not factor >= 1:
        +         arrays[number] = array * factor

        The memory of a transposed array stays as it is: its `reshape(-1)` is a copy. (hint 3)
        - array *= factor
        + flat = array.reshape(-1)
        + flat *= factor

        The norm is computed anew, which is not always the one that was passed.
        - factor = max_norm / (norm + 1e-6)
        + norm = norm_of(arrays, 2.0)
        + factor = max_norm / (norm + 1e-6)

        Whether to scale is decided by the norm and the bound, not by the factor. (hint 2)
        - if not factor >= 1:
        + if not norm <= max_norm:

        The millionth is not added to the norm, but elsewhere or nowhere.
        - factor = max_norm / (norm + 1e-6)
        + factor = max_norm / norm if norm else 1.0

        The millionth is not added to the norm, but elsewhere or nowhere.
        - factor = max_norm / (norm + 1e-6)
        + factor = max_norm / norm + 1e-6 if norm else 1.0

        Without the millionth a norm of 0 is a division by zero.
        - factor = max_norm / (norm + 1e-6)
        + factor = max_norm / norm

        A NaN changes nothing: Python's min(1.0, nan) is 1.0, and no comparison with NaN is true. (hint 2)
        - if not factor >= 1:
        + if factor < 1:
    """,
    "advance": """
        `get_lr` is called before `last_epoch` is the epoch that was given.
        - scheduler.last_epoch = scheduler.last_epoch + 1 if epoch is None else epoch
        - rates = scheduler._get_closed_form_lr() if closed_form else scheduler.get_lr()
        + scheduler.last_epoch += 1
        + rates = scheduler.get_lr()
        + if epoch is not None:
        +     scheduler.last_epoch = epoch
        +     rates = scheduler._get_closed_form_lr() if closed_form else rates

        The rates are asked for while `last_epoch` is still the old one. (hint 1)
          closed_form = epoch is not None and hasattr(scheduler, "_get_closed_form_lr")
        + rates = scheduler._get_closed_form_lr() if closed_form else scheduler.get_lr()
        ...
        - rates = scheduler._get_closed_form_lr() if closed_form else scheduler.get_lr()

        Every group gets the rate of the first. (hint 3)
        - for group, rate in zip(scheduler.optimizer.param_groups, rates, strict=True):
        -     set_value(group, "lr", rate)
        + for group in scheduler.optimizer.param_groups:
        +     set_value(group, "lr", rates[0])

        A jump does not give the rates that the closed form has for the epoch passed. (hint 2)
        - closed_form = epoch is not None and hasattr(scheduler, "_get_closed_form_lr")
        ...
        - rates = scheduler._get_closed_form_lr() if closed_form else scheduler.get_lr()
        - for group, rate in zip(scheduler.optimizer.param_groups, rates, strict=True):
        + for group, rate in zip(scheduler.optimizer.param_groups, scheduler.get_lr(), strict=True):

        A rate that is a tensor is replaced by a number. (hint 3)
        - set_value(group, "lr", rate)
        + group["lr"] = float(rate)

        `_last_lr` is set before the new rates, not after them at every step. (hint 3)
        - scheduler._last_lr = values_of(scheduler.optimizer, "lr")
        + if scheduler.last_epoch <= 0:
        +     scheduler._last_lr = values_of(scheduler.optimizer, "lr")

        The next epoch, too, is computed from the initial rate. (hint 2)
        - closed_form = epoch is not None and hasattr(scheduler, "_get_closed_form_lr")
        + closed_form = hasattr(scheduler, "_get_closed_form_lr")

        An epoch of 0 is taken for none.
        - closed_form = epoch is not None and hasattr(scheduler, "_get_closed_form_lr")
        - scheduler.last_epoch = scheduler.last_epoch + 1 if epoch is None else epoch
        + closed_form = epoch and hasattr(scheduler, "_get_closed_form_lr")
        + scheduler.last_epoch = epoch or scheduler.last_epoch + 1

        A rate that is a tensor comes into `_last_lr` without being copied. (hint 3)
        - scheduler._last_lr = values_of(scheduler.optimizer, "lr")
        + scheduler._last_lr = [group["lr"] for group in scheduler.optimizer.param_groups]

        What `get_lr` gave is stored in `_last_lr`, not the rates as the groups have them. (hint 3)
        - scheduler._last_lr = values_of(scheduler.optimizer, "lr")
        + scheduler._last_lr = rates
    """,
    "warmup-cosine": """
        The first step has the rate zero.
        - return (step + 1) / warmup
        + return step / warmup

        The cosine counts from the first step, so that the rate jumps when the warm-up ends. (hint 1)
        - progress = min(1.0, (step - warmup) / max(1, total - warmup))
        - return floor + (1 - floor) * (1 + math.cos(math.pi * progress)) / 2
        + return floor + (1 - floor) * (1 + math.cos(math.pi * min(1.0, step / max(1, total)))) / 2

        After the end the cosine rises again. (hint 1)
        - progress = min(1.0, (step - warmup) / max(1, total - warmup))
        + progress = (step - warmup) / max(1, total - warmup)

        The cosine is clipped at the floor, not scaled. (hint 3)
        - return floor + (1 - floor) * (1 + math.cos(math.pi * progress)) / 2
        + return max(floor, (1 + math.cos(math.pi * progress)) / 2)

        The cosine is not scaled by 1 - floor, only raised by the floor. (hint 3)
        - return floor + (1 - floor) * (1 + math.cos(math.pi * progress)) / 2
        + return floor + (1 + math.cos(math.pi * progress)) / 2

        Where `total` is `warmup` the progress is a division by zero. (hint 2)
        - progress = min(1.0, (step - warmup) / max(1, total - warmup))
        + progress = min(1.0, (step - warmup) / (total - warmup))

        A fall of one step takes two. (hint 2)
        - progress = min(1.0, (step - warmup) / max(1, total - warmup))
        + progress = min(1.0, (step - warmup) / max(2, total - warmup))

        The rise begins at the floor, not at 0.
        - return (step + 1) / warmup
        + return floor + (1 - floor) * (step + 1) / warmup

        Where `total` is `warmup` the factor stays 1 after the end.
        - progress = min(1.0, (step - warmup) / max(1, total - warmup))
        + if total == warmup:
        +     return 1.0
        + progress = min(1.0, (step - warmup) / max(1, total - warmup))
    """,
    "plateau": """
        The patience ends too early: where it is 2, the second bad epoch reduces the rate. (hint 3)
        - if scheduler.num_bad_epochs > scheduler.patience:
        + if scheduler.num_bad_epochs >= max(1, scheduler.patience):

        Every epoch is compared with the previous one, not with the best. (hint 2)
        - if scheduler._is_better(metric, scheduler.best):
        -     scheduler.best, scheduler.num_bad_epochs = metric, 0
        - else:
        -     scheduler.num_bad_epochs += 1
        + better = scheduler._is_better(metric, scheduler.best)
        + scheduler.best = metric
        + scheduler.num_bad_epochs = 0 if better else scheduler.num_bad_epochs + 1

        An improvement does not reset the number of bad epochs.
        - scheduler.best, scheduler.num_bad_epochs = metric, 0
        + scheduler.best = metric

        After the first reduction every bad epoch reduces again. (hint 3)
        - scheduler.cooldown_counter, scheduler.num_bad_epochs = scheduler.cooldown, 0
        + scheduler.cooldown_counter = scheduler.cooldown

        After a reduction the cooling does not begin: `cooldown_counter` stays 0. (hint 3)
        - scheduler.cooldown_counter, scheduler.num_bad_epochs = scheduler.cooldown, 0
        + scheduler.num_bad_epochs = 0

        Bad epochs are counted in the cooldown, too.
          scheduler.cooldown_counter -= 1
        - scheduler.num_bad_epochs = 0

        An epoch that is better does not cool: the second question is asked of the others only. (hint 1)
        - else:
        -     scheduler.num_bad_epochs += 1
        - if scheduler.cooldown_counter > 0:
        + elif scheduler.cooldown_counter == 0:
        +     scheduler.num_bad_epochs += 1
        + else:

        A better metric does not become the best, so that every epoch is better than infinity.
        - scheduler.best, scheduler.num_bad_epochs = metric, 0
        + scheduler.num_bad_epochs = 0

        The metrics are compared without the threshold. (hint 2)
        - if scheduler._is_better(metric, scheduler.best):
        + if metric < scheduler.best:

        In the cooldown an improvement is not recorded. (hint 1)
        - if scheduler._is_better(metric, scheduler.best):
        + if scheduler.cooldown_counter == 0 and scheduler._is_better(metric, scheduler.best):

        Every metric below the best becomes the best, even if it is not better by the threshold. (hint 2)
        - scheduler.best, scheduler.num_bad_epochs = metric, 0
        + scheduler.num_bad_epochs = 0
        ...
              scheduler.num_bad_epochs += 1
        + scheduler.best = min(metric, scheduler.best)

        After a reduction the best is forgotten, too, as by `_reset`.
        - scheduler.cooldown_counter, scheduler.num_bad_epochs = scheduler.cooldown, 0
        + scheduler._reset()
        + scheduler.cooldown_counter = scheduler.cooldown
    """,
    "accumulate": """
        A summed loss is made a mean before `backward`.
        - loss = loss_fn(outputs, targets)
        - weight = 1 if getattr(loss_fn, "reduction", "mean") == "sum" else len(targets) / total
        - (loss * weight).backward()
        - meter.add(outputs, targets, mean_loss(loss, loss_fn, targets))
        + loss = mean_loss(loss_fn(outputs, targets), loss_fn, targets)
        + (loss * (len(targets) / total)).backward()
        + meter.add(outputs, targets, loss)

        Each batch weighs as its share of the samples so far, not of all.
        - total = sum(len(targets) for *_, targets in batches)
        + total = 0
          for *inputs, targets in batches:
        +     total += len(targets)

        Means are not weighted: with k batches the gradient is about k times too large. (hint 3)
        - total = sum(len(targets) for *_, targets in batches)
        ...
        - weight = 1 if getattr(loss_fn, "reduction", "mean") == "sum" else len(targets) / total
        - (loss * weight).backward()
        + loss.backward()

        Every batch has the same weight, even a short one. (hint 2)
        - total = sum(len(targets) for *_, targets in batches)
        ...
        - weight = 1 if getattr(loss_fn, "reduction", "mean") == "sum" else len(targets) / total
        + weight = 1 if getattr(loss_fn, "reduction", "mean") == "sum" else 1 / len(batches)

        All graphs are kept for one backward at the end, and nothing is saved. (hint 3)
        - total = sum(len(targets) for *_, targets in batches)
        + total, whole = sum(len(targets) for *_, targets in batches), 0
        ...
        - (loss * weight).backward()
        + whole = whole + loss * weight
        ...
              meter.add(outputs, targets, mean_loss(loss, loss_fn, targets))
        + whole.backward()

        Sums are weighted like means. (hint 3)
        - weight = 1 if getattr(loss_fn, "reduction", "mean") == "sum" else len(targets) / total
        - (loss * weight).backward()
        + (loss * (len(targets) / total)).backward()

        The meter gets the weighted loss. (hint 3)
        - weight = 1 if getattr(loss_fn, "reduction", "mean") == "sum" else len(targets) / total
        - (loss * weight).backward()
        + loss = (
        +     loss
        +     if getattr(loss_fn, "reduction", "mean") == "sum"
        +     else loss * (len(targets) / total)
        + )
        + loss.backward()

        Outputs and targets are exchanged. (hint 1)
        - loss = loss_fn(outputs, targets)
        + loss = loss_fn(targets, outputs)

        The meter gets a sum where it needs a mean.
        - meter.add(outputs, targets, mean_loss(loss, loss_fn, targets))
        + meter.add(outputs, targets, loss)

        Any loss that has a `reduction` is taken for a sum: it may be "mean". (hint 3)
        - weight = 1 if getattr(loss_fn, "reduction", "mean") == "sum" else len(targets) / total
        + weight = 1 if hasattr(loss_fn, "reduction") else len(targets) / total

        The gradients that were there are cleared, or replaced, where they are to be added to.
        - total = sum(len(targets) for *_, targets in batches)
        + model.zero_grad()
        + total = sum(len(targets) for *_, targets in batches)
    """,
    "training-step": """
        Each parameter's gradient is clipped by its own norm.
        - clip_grad_norm_(trainer.model.parameters(), trainer.clip_norm)
        + for parameter in trainer.model.parameters():
        +     clip_grad_norm_([parameter], trainer.clip_norm)

        The gradients of the previous step are not cleared. (hint 3)
        - trainer.optimizer.zero_grad()

        The optimizer's step uses a gradient that is not clipped. (hint 2)
          accumulate_gradients(trainer.model, trainer.loss_fn, batches, trainer.meter)
        + trainer.optimizer.step()
        ...
        - trainer.optimizer.step()

        The schedule moves on before the optimizer has used its rate.
        - trainer.optimizer.step()
        ...
              trainer.scheduler.step()
        + trainer.optimizer.step()

        Every schedule is stepped, even one that counts epochs. (hint 2)
        - if trainer.scheduler is not None and trainer.scheduler_every == "step":
        + if trainer.scheduler is not None:

        Each batch takes a separate step.
        + for batch in batches:
        +     trainer.optimizer.zero_grad()
        +     accumulate_gradients(trainer.model, trainer.loss_fn, [batch], trainer.meter)
        +     if trainer.clip_norm is not None:
        +         clip_grad_norm_(trainer.model.parameters(), trainer.clip_norm)
        +     trainer.optimizer.step()
        + if trainer.scheduler is not None and trainer.scheduler_every == "step":
        +     trainer.scheduler.step()

        The gradients of each batch are computed as if there were no other: one call takes all. (hint 3)
        - accumulate_gradients(trainer.model, trainer.loss_fn, batches, trainer.meter)
        + for batch in batches:
        +     accumulate_gradients(trainer.model, trainer.loss_fn, [batch], trainer.meter)

        A norm of 0 is taken for None. (hint 2)
        - if trainer.clip_norm is not None:
        + if trainer.clip_norm:

        The trainer's meter is not the one that the batches are added to. (hint 3)
        - accumulate_gradients(trainer.model, trainer.loss_fn, batches, trainer.meter)
        + accumulate_gradients(trainer.model, trainer.loss_fn, batches, Meter())

        The gradients are cleared after the step: one that was there before is part of the next.
        - trainer.optimizer.zero_grad()
        ...
        - trainer.optimizer.step()
        + trainer.optimizer.step()
        + trainer.optimizer.zero_grad()

        Only the optimizer's first group is clipped, not all of the model's parameters. (hint 3)
        - clip_grad_norm_(trainer.model.parameters(), trainer.clip_norm)
        + clip_grad_norm_(trainer.optimizer.param_groups[0]["params"], trainer.clip_norm)

        Without a `clip_norm` the optimizer takes no step.
        - trainer.optimizer.step()
        +     trainer.optimizer.step()

        The gradients are cleared before the optimizer has used them.
        - trainer.optimizer.zero_grad()
        ...
        - trainer.optimizer.step()
        + trainer.optimizer.zero_grad()
        + trainer.optimizer.step()

        The gradient is clipped to 1 where `clip_norm` is None. (hint 2)
        - if trainer.clip_norm is not None:
        -     clip_grad_norm_(trainer.model.parameters(), trainer.clip_norm)
        + norm = 1.0 if trainer.clip_norm is None else trainer.clip_norm
        + clip_grad_norm_(trainer.model.parameters(), norm)
    """,
    "evaluate": """
        The mean of the batches' means is taken: a short batch weighs as much as a full one. (hint 3)
        - meter, training = Meter(metrics), model.training
        + training, found = model.training, []
        ...
          for *inputs, targets in batches:
        +     meter = Meter(metrics)
        ...
          meter.add(outputs, targets, loss)
        + found.append(meter.means())
        ...
        - return meter.means()
        + return {name: sum(means[name] for means in found) / len(found) for name in found[0]}

        The model stays in training mode, with dropout on.
        + meter = Meter(metrics)
        + with no_grad():
        +     for *inputs, targets in batches:
        +         outputs = model(*inputs)
        +         meter.add(outputs, targets, mean_loss(loss_fn(outputs, targets), loss_fn, targets))
        + return meter.means()

        A model that was evaluating is put into training mode. (hint 1)
        - meter, training = Meter(metrics), model.training
        + meter = Meter(metrics)
        ...
        - model.train(training)
        + model.train()

        A graph is recorded for every batch. (hint 2)
        - with no_grad():
        -     for *inputs, targets in batches:
        -         outputs = model(*inputs)
        -         loss = mean_loss(loss_fn(outputs, targets), loss_fn, targets)
        -         meter.add(outputs, targets, loss)
        + for *inputs, targets in batches:
        +     outputs = model(*inputs)
        +     meter.add(outputs, targets, mean_loss(loss_fn(outputs, targets), loss_fn, targets))

        After an error the model stays in evaluation mode. (hint 2)
        + meter, training = Meter(metrics), model.training
        + model.eval()
        + with no_grad():
        +     for *inputs, targets in batches:
        +         outputs = model(*inputs)
        +         meter.add(outputs, targets, mean_loss(loss_fn(outputs, targets), loss_fn, targets))
        + model.train(training)
        + return meter.means()

        Only the first of several inputs reaches the model.
        - outputs = model(*inputs)
        + outputs = model(inputs[0])

        A sum is treated as a mean. (hint 3)
        - loss = mean_loss(loss_fn(outputs, targets), loss_fn, targets)
        + loss = loss_fn(outputs, targets)

        The model's own flag is set, not those of the layers in it: `model.eval()` sets all.
        - model.eval()
        + model.training = False

        Afterwards the model's own flag is set, not those of the layers in it. (hint 1)
        - model.train(training)
        + model.training = training

        A KeyboardInterrupt, which is no Exception, leaves the model in evaluation mode. (hint 2)
        - finally:
        -     model.train(training)
        + except Exception:
        +     model.train(training)
        +     raise
        + model.train(training)

        The batches are gone through twice, and an iterator has none left for the second time. (hint 3)
        - meter, training = Meter(metrics), model.training
        + meter, training = Meter(metrics), model.training
        + total, means = sum(len(targets) for *_, targets in batches), dict.fromkeys(metrics, 0.0)
        + means = {"loss": 0.0} | means
        ...
        - meter.add(outputs, targets, loss)
        + means["loss"] += loss.item() * len(targets) / total
        ...
        - return meter.means()
        + return means
    """,
    "write-beside": """
        The file is written directly to its path.
        - path = os.path.realpath(path)
        - temporary = f"{path}.{os.getpid()}.part"
        + write(path)
        ...
        - try:
        -     write(temporary)
        -     os.replace(temporary, path)
        - except BaseException:
        -     with contextlib.suppress(FileNotFoundError):
        -         os.remove(temporary)
        -     raise

        The partial file of a failure stays. (hint 1)
        + write(temporary)
        + os.replace(temporary, path)

        The error is suppressed, so the caller believes that everything is saved. (hint 2)
        - raise

        The old file is removed to make room for the new one.
        + with contextlib.suppress(FileNotFoundError):
        +     os.remove(path)
          try:

        An interrupt is not an Exception, and leaves the partial file behind. (hint 2)
        - except BaseException:
        + except Exception:

        The new file is copied over the old one, which is incomplete for a moment. (hint 1)
        - os.replace(temporary, path)
        + import shutil
        +
        + shutil.copyfile(temporary, path)
        + os.remove(temporary)

        The old file is removed or renamed first, and until the new one has the name there is none.
        - os.replace(temporary, path)
        + if os.path.exists(path):
        +     os.remove(path)
        + os.rename(temporary, path)

        The old file is removed or renamed first, and until the new one has the name there is none.
        - os.replace(temporary, path)
        + backup = path + ".bak"
        + if os.path.exists(path):
        +     os.rename(path, backup)
        + os.rename(temporary, path)
        + if os.path.exists(backup):
        +     os.remove(backup)

        Where there is no old file the new one is written directly to its path.
        + if not os.path.exists(path):
        +     write(path)
        +     return
          try:

        A SystemExit is neither an Exception nor a KeyboardInterrupt, and leaves the partial file. (hint 2)
        - except BaseException:
        + except (Exception, KeyboardInterrupt):
    """,
    "resume": """
        The epoch begins with a new order. (hint 3)
        - for generator, state in zip(generators, begin):
        -     generator.set_state(state)

        The generators keep their states from after the skipped batches. (hint 3)
        - if done:
        -     for generator, state in zip(generators, now):
        -         generator.set_state(state)

        The epoch is begun from the state in its middle.
        - for generator, state in zip(generators, begin):
        + for generator, state in zip(generators, now if done else begin):
        ...
        - if done:
        -     for generator, state in zip(generators, now):
        -         generator.set_state(state)

        All remaining batches are made at once, before the generators are set. (hint 1)
        - batches = iter(loader)
        - for _ in range(done):
        -     next(batches)
        + batches = list(loader)[done:]
        ...
        - return batches
        + return iter(batches)

        Only the first generator is set. (hint 2)
        - for generator, state in zip(generators, begin):
        -     generator.set_state(state)
        + generators[0].set_state(begin[0])
        ...
        - for generator, state in zip(generators, now):
        -     generator.set_state(state)
        + generators[0].set_state(now[0])

        The generators are set to `now` even if `done` is 0. (hint 3)
        - if done:
        -     for generator, state in zip(generators, now):
        -         generator.set_state(state)
        + for generator, state in zip(generators, now or []):
        +     generator.set_state(state)

        Every generator is set to the last of the states, not each to its own. (hint 2)
        - for generator, state in zip(generators, begin):
        -     generator.set_state(state)
        + for generator in generators:
        +     for state in begin:
        +         generator.set_state(state)

        Every generator is set to the last of the states, not each to its own. (hint 2)
        - for generator, state in zip(generators, now):
        -     generator.set_state(state)
        + for generator in generators:
        +     for state in now:
        +         generator.set_state(state)

        A batch is made before the generators are set to `now`. (hint 3)
        - batches = iter(loader)
        - for _ in range(done):
        -     next(batches)
        + batches = iter(loader)
        + for _ in range(done):
        +     next(batches)
        + first = list(itertools.islice(batches, 1)) if done else []
        ...
        - return batches
        + return itertools.chain(first, batches)

        With a `yield` in it the function does nothing until the first batch is asked for.
        - return batches
        + yield from batches

        Too few batches are skipped of the iterator that is returned.
        - for _ in range(done):
        + for _ in range(done - 1):

        One batch too many is skipped.
        - for _ in range(done):
        -     next(batches)
        + for _ in range(done + 1 if done else 0):
        +     next(batches)

        The batches are skipped after the generators are set to `now`, and draw from them. (hint 3)
        - for _ in range(done):
        -     next(batches)
        ...
        - return batches
        + return itertools.islice(batches, done, None)

        The generators are set to `begin` again, not to `now`. (hint 3)
        - for generator, state in zip(generators, now):
        + for generator, state in zip(generators, begin):

        The loader is iterated over once more, which begins another epoch. (hint 1)
        - return batches
        + return iter(loader)
    """,
    "early-stopping": """
        Every epoch is compared with the one before.
        + self.waited = (
        +     0 if better(value, self.best, self.mode, self.min_delta) else self.waited + 1
        + )
        + self.best = value
        + if self.waited >= self.patience:
        +     trainer.stop = True

        `waited` does not grow from epoch to epoch. (hint 2)
        - self.waited += 1
        + self.waited = 1

        `trainer.stop` is not set. (hint 3)
        - trainer.stop = True
        + self.stop = True

        Bad epochs are counted in all, not in a row. (hint 2)
        - self.best, self.waited = value, 0
        + self.best = value

        Smaller is always better. (hint 1)
        - if better(value, self.best, self.mode, self.min_delta):
        + if better(value, self.best, "min", self.min_delta):

        The training continues for one epoch too many. (hint 3)
        - if self.waited >= self.patience:
        + if self.waited > self.patience:

        Any improvement counts, however small. (hint 1)
        - if better(value, self.best, self.mode, self.min_delta):
        + if better(value, self.best, self.mode):

        A best of 0 is taken for none. (hint 1)
        - if better(value, self.best, self.mode, self.min_delta):
        + if not self.best or better(value, self.best, self.mode, self.min_delta):

        `trainer.stop` is set to False, though another callback had set it.
        - if self.waited >= self.patience:
        -     trainer.stop = True
        + trainer.stop = self.waited >= self.patience

        With mode "max" a little worse is taken for better, not more than `min_delta` better. (hint 1)
        - if better(value, self.best, self.mode, self.min_delta):
        + sign = 1 if self.mode == "min" else -1
        + if better(value, self.best, self.mode, sign * self.min_delta):

        With mode "max" any improvement counts, however small. (hint 1)
        - if better(value, self.best, self.mode, self.min_delta):
        + delta = self.min_delta if self.mode == "min" else 0.0
        + if better(value, self.best, self.mode, delta):

        An improvement too small to count becomes the best. (hint 2)
        - self.best, self.waited = value, 0
        + self.waited = 0
        ...
        - if self.waited >= self.patience:
        + if better(value, self.best, self.mode):
        +     self.best = value
        + if self.waited >= self.patience:

        `min_delta` is taken for a share of the best. (hint 1)
        - if better(value, self.best, self.mode, self.min_delta):
        + if better(value, self.best, self.mode, self.min_delta * abs(self.best or 0)):

        What is worse by less than `min_delta` is taken for better: the margin has the wrong sign. (hint 1)
        - if better(value, self.best, self.mode, self.min_delta):
        + if better(value, self.best, self.mode, -self.min_delta):

        At the stop the epochs waited are set to 0.
        - trainer.stop = True
        + trainer.stop, self.waited = True, 0

        The best stays that of the first epoch. (hint 2)
        - self.best, self.waited = value, 0
        + self.best, self.waited = value if self.best is None else self.best, 0

        Any change of more than `min_delta` counts, a rise and a fall. (hint 1)
        - if better(value, self.best, self.mode, self.min_delta):
        + if self.best is None or abs(value - self.best) > self.min_delta:
    """,
    "fit-epoch": """
        Every batch is a separate step, whatever `accumulate` is. (hint 1)
        - group = list(itertools.islice(batches, trainer.accumulate))
        + group = list(itertools.islice(batches, 1))

        The last, short group is left out. (hint 2)
        - if not group:
        + if len(group) < trainer.accumulate:

        All batches are made before the first step. (hint 1)
        - while not trainer.ended:
        + batches = iter(list(batches))
        + while not trainer.ended:

        The callbacks are called before anything has been counted.
        - trainer.batch += len(group)
        - trainer.step += 1
        - trainer.ended = len(group) < trainer.accumulate
        - trainer.logs = trainer.meter.means()
        - trainer.call("on_step_end")
        + trainer.call("on_step_end")
        + trainer.batch += len(group)
        + trainer.step += 1
        + trainer.ended = len(group) < trainer.accumulate
        + trainer.logs = trainer.meter.means()

        `trainer.ended` is not set when the callbacks are called after the last group. (hint 2)
        - trainer.ended = len(group) < trainer.accumulate
        - trainer.logs = trainer.meter.means()
        - trainer.call("on_step_end")
        + trainer.logs = trainer.meter.means()
        + trainer.call("on_step_end")
        + trainer.ended = len(group) < trainer.accumulate

        An empty group is taken for a step. (hint 2)
        - if not group:
        -     break

        Groups are counted as batches.
        - trainer.batch += len(group)
        + trainer.batch += 1

        An epoch that had ended is started again. (hint 2)
        - while not trainer.ended:
        + trainer.ended = False
        + while not trainer.ended:

        The logs of the validation replace those of the training.
        - trainer.logs |= {f"val_{name}": value for name, value in found.items()}
        + trainer.logs = {f"val_{name}": value for name, value in found.items()}

        The results of the validation get no "val_", and replace those of the training.
        - trainer.logs |= {f"val_{name}": value for name, value in found.items()}
        + trainer.logs |= found

        A schedule that counts steps takes one more step at the end of the epoch. (hint 3)
        - elif trainer.scheduler is not None and trainer.scheduler_every == "epoch":
        + elif trainer.scheduler is not None:

        ReduceLROnPlateau always gets the training loss. (hint 3)
        - trainer.scheduler.step(trainer.logs.get("val_loss", trainer.logs["loss"]))
        + trainer.scheduler.step(trainer.logs["loss"])

        An epoch without data passes without an error.
        - if not trainer.batch:
        -     raise ValueError("the loader gave no batch")
        - if validation is not None:
        + if not trainer.batch:
        +     return
        + if validation is not None:

        At `on_step_end` the logs are still what they were before the step.
        - trainer.logs = trainer.meter.means()
        - trainer.call("on_step_end")
        + trainer.call("on_step_end")
        ...
        - if validation is not None:
        + trainer.logs = trainer.meter.means() or trainer.logs
        + if validation is not None:

        `trainer.logs` is the meter itself, not the dict of its means.
        - trainer.logs = trainer.meter.means()
        + trainer.logs = trainer.meter
        ...
        - if validation is not None:
        + trainer.logs = trainer.meter.means() or trainer.logs
        + if validation is not None:

        The logs of the first step are kept for all others.
        - trainer.logs = trainer.meter.means()
        + trainer.logs = trainer.logs or trainer.meter.means()

        Whether there was a batch is asked of all epochs so far, not of this one.
        - if not trainer.batch:
        + if not trainer.step:

        `trainer.step` begins anew with the epoch: it has counted the steps of those before. (hint 1)
        - trainer.step += 1
        + trainer.step = math.ceil(trainer.batch / trainer.accumulate)

        Of an epoch that had ended the logs are lost.
        - while not trainer.ended:
        + trainer.logs = {}
        + while not trainer.ended:
        ...
        - trainer.scheduler.step(trainer.logs.get("val_loss", trainer.logs["loss"]))
        + trainer.scheduler.step(trainer.logs.get("val_loss", trainer.logs.get("loss")))

        Whether there are validation data is asked by `if validation`, which asks for their length.
        - if validation is not None:
        + if validation:

        A validation loss of 0 is taken for none.
        - trainer.scheduler.step(trainer.logs.get("val_loss", trainer.logs["loss"]))
        + trainer.scheduler.step(trainer.logs.get("val_loss") or trainer.logs["loss"])

        The schedule is told an epoch, which makes it jump there: `step()` goes to the next.
        - trainer.scheduler.step()
        + trainer.scheduler.step(trainer.epoch)
    """,
}
