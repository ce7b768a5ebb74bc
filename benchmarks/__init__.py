"""What is measured, against whom: time beside PyTorch in one process, memory, and the speed of the tokenizer."""
