"""Famous programs of their time, running on the modules that a learner has built."""
