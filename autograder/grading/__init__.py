"""What grades a class: intake, the sandbox and the worker in it, the verdict, and the batch that enters it in the gradebook."""
