import torch

print(torch.zeros(2).cuda())
