# copies to the device, then kernels
MemcpyHtoD,0x00007f4000001000,16384
MemcpyHtoD,0x00007f4000005000,128

kernel-1.traceg
MemcpyDtoH,0x00007f4000005000,128
kernel-2.traceg
