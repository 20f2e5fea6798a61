"""Functions that use what Triton has, each run as a kernel of its own and as worker of warp_specialize.

Every function takes x (float32), h (float16), y (float32) and n = 4, and reads and writes at most SIZE elements.
"""
from __future__ import annotations

import triton
import triton.experimental.tle.language as tle
import triton.language as tl
from triton.language.extra import libdevice

SIZE = 1 << 16
N = 4


@triton.jit
def elementwise(x, h, y, n):
    o = tl.arange(0, 256)
    v = tl.load(x + o, mask=o < n * 60, other=0.0)
    v = tl.where(v > 0, tl.exp(v), v * 2 + 1).to(tl.float16).to(tl.float32)
    tl.store(y + o, v, mask=o < n * 60)


@triton.jit
def foreign_code(x, h, y, n):
    """Assembly and a library function, which the simulator does not run."""
    o = tl.arange(0, 256)
    v = tl.load(x + o)
    w = tl.inline_asm_elementwise("add.f32 $0, $1, $1;", "=f,f", [v], dtype=tl.float32, is_pure=True, pack=1)
    tl.store(y + o, libdevice.tanh(v) + w)


@triton.jit
def reductions(x, h, y, n):
    row = tl.arange(0, 64)
    v = tl.load(x + row[:, None] * 64 + row[None, :])
    m = tl.max(v, 1)
    s = tl.sum(tl.exp(v - m[:, None]), 1)
    i = tl.argmax(v, 0)
    tl.store(y + row, m + s + i.to(tl.float32))
    tl.store(y + 64, tl.sum(tl.sum(v, 0), 0))


@triton.jit
def scans(x, h, y, n):
    o = tl.arange(0, 256)
    v = tl.load(x + o)
    g = tl.gather(v, (o * 7) % 256, 0)
    tl.store(y + o, tl.cumsum(v, 0) + tl.sort(v) + g)
    tl.store(y + 256 + tl.arange(0, 64), tl.histogram((v * 8).to(tl.int32), 64).to(tl.float32))


@triton.jit
def shapes(x, h, y, n):
    o = tl.arange(0, 256)
    v = tl.load(x + o)
    a = tl.reshape(v, [16, 16])
    d, e = tl.split(tl.join(a, tl.trans(a)))
    p = tl.permute(tl.reshape(v, [4, 8, 8]), 2, 0, 1)
    tl.store(y + o, tl.reshape(d + e * 2, [256]) + tl.reshape(p, [256]))
    tl.store(y + 256 + tl.arange(0, 512), tl.interleave(v, v + 1))


@triton.jit
def loops(x, h, y, n):
    o = tl.arange(0, 128)
    v = tl.load(x + o)
    i = 0
    while i < n:
        if tl.sum(v) > 64:
            v = v - 0.25
        elif n > 3:
            v = v + tl.load(x + i * 128 + o)
        i += 1
    for a in tl.static_range(3):
        v = v * (a + 1)
    for b in tl.range(0, n, loop_unroll_factor=2):
        v += b
    tl.store(y + o, v)


@triton.jit
def dot(x, h, y, n):
    i = tl.arange(0, 64)
    acc = tl.zeros([64, 64], tl.float32)
    for k in range(n):
        a = tl.load(h + k * 2048 + i[:, None] * 64 + i[None, :])
        b = tl.load(h + k * 1024 + i[None, :] * 64 + i[:, None])
        acc = tl.dot(a, b, acc)
    tl.store(y + i[:, None] * 64 + i[None, :], acc)


@triton.jit
def dot_pipelined(x, h, y, n):
    i = tl.arange(0, 64)
    o = i[:, None] * 64 + i[None, :]
    acc = tl.zeros([64, 64], tl.float32)
    for k in tl.range(0, n, num_stages=2):
        acc = tl.dot(tl.load(h + k * 4096 + o), tl.load(h + k * 2048 + o), acc)
    tl.store(y + o, acc)


@triton.jit
def dot_types(x, h, y, n):
    i, j = tl.arange(0, 64), tl.arange(0, 16)
    o = i[:, None] * 64 + i[None, :]
    a = tl.load(x + o)
    tl.store(y + o, tl.dot(a, a + 1, input_precision="tf32x3"))
    tl.store(y + 4096 + o, tl.dot(a.to(tl.float8e4nv), a.to(tl.float8e4nv)))
    b = tl.load(x + j[:, None] * 16 + j[None, :])
    tl.store(y + 8192 + j[:, None] * 16 + j[None, :], tl.dot(b, b + 1, input_precision="ieee"))


@triton.jit
def atomics(x, h, y, n):
    o = tl.arange(0, 128)
    old = tl.atomic_add(y + o, tl.load(x + o), mask=o < n * 25)
    tl.atomic_max(y + 128 + o, old + 1)
    yi = y.to(tl.pointer_type(tl.int32), bitcast=True)
    tl.atomic_xchg(yi + 256 + o, o)
    tl.atomic_cas(yi + 384 + o, o * 0, o)
    tl.store(y + 513, tl.atomic_add(y + 512, 1.0) + 2)


@triton.jit
def block_pointers(x, h, y, n):
    p = tl.make_block_ptr(x, (100, 64), (64, 1), (0, 0), (32, 64), (1, 0))
    q = tl.make_block_ptr(y, (100, 64), (64, 1), (0, 0), (32, 64), (1, 0))
    for _ in range(n):
        tl.store(q, tl.load(p, boundary_check=(0, )) + 1, boundary_check=(0, ))
        p = tl.advance(p, (32, 0))
        q = tl.advance(q, (32, 0))


@triton.jit
def descriptors(x, h, y, n):
    """Descriptors made on the device, in scratch memory that the launcher asks an allocator for."""
    source = tl.make_tensor_descriptor(x, [100, 64], [64, 1], [32, 32])
    target = tl.make_tensor_descriptor(y, [100, 64], [64, 1], [32, 32])
    for i in range(n):
        target.store([i * 32, 32], source.load([i * 32, 0]) * 2)


@triton.jit
def buffers(x, h, y, n):
    row = tl.arange(0, 64)
    o = row[:, None] * 64 + row[None, :]
    b = tle.gpu.alloc([64, 64], tl.float32)
    tle.gpu.copy(x + o, b, [64, 64])
    for _ in range(n):
        b.store(b.load() * 2)
    tle.gpu.copy(b, y + o, [64, 64])
    p = tle.gpu.local_ptr(b, (row, row))
    tl.store(p, tl.load(p) + 1)
    tl.store(y + 4096 + row, tl.sum(b.load(), 0))


@triton.jit
def dot_buffers(x, h, y, n):
    i = tl.arange(0, 64)
    o = i[:, None] * 64 + i[None, :]
    a = tle.gpu.alloc([64, 64], tl.float16)
    b = tle.gpu.alloc([64, 64], tl.float16)
    acc = tl.zeros([64, 64], tl.float32)
    for k in range(n):
        tle.gpu.copy(h + k * 4096 + o, a, [64, 64])
        tle.gpu.copy(h + k * 2048 + o, b, [64, 64])
        acc = tl.dot(a.load(), b.load(), acc)
    tl.store(y + o, acc)


@triton.jit
def async_load(x, h, y, n):
    o = tl.arange(0, 1024)
    tl.store(y + o, tle.load(x + o, is_async=True) * 2)


@triton.jit
def products(x, h, y, n):
    """Asynchronous products, for whole warp groups."""
    i, j = tl.arange(0, 128), tl.arange(0, 64)
    a = tle.gpu.alloc([128, 64], tl.float16)
    b = tle.gpu.alloc([64, 64], tl.float16)
    acc = tl.zeros([128, 64], tl.float32)
    for k in range(n):
        a.store(tl.load(h + k * 2048 + i[:, None] * 64 + j[None, :]))
        b.store(tl.load(h + k * 1024 + j[:, None] * 64 + j[None, :]))
        acc = tle.gpu.wgmma_wait(0, tle.gpu.wgmma(a, b, acc))
    tl.store(y + i[:, None] * 64 + j[None, :], acc)


FUNCTIONS = {fn.__name__: fn for fn in (elementwise, foreign_code, reductions, scans, shapes, loops, dot, dot_pipelined, dot_types, atomics, block_pointers,
                                        descriptors, buffers, dot_buffers, async_load)}
WORKERS = (1, 2, 4, 8)


@triton.jit
def alone(x, h, y, n, F: tl.constexpr):
    F(x, h, y, n)


@triton.jit
def together(x, h, y, n, F: tl.constexpr, STRIDE: tl.constexpr):
    """F in the default partition and in workers of WORKERS warps; partition i writes at y + i * STRIDE."""
    tle.gpu.warp_specialize([(F, (x, h, y, n)), (F, (x, h, y + STRIDE, n)), (F, (x, h, y + 2 * STRIDE, n)),
                             (F, (x, h, y + 3 * STRIDE, n)), (F, (x, h, y + 4 * STRIDE, n))], [1, 2, 4, 8], [80, 80, 80, 80])


@triton.jit
def groups_together(x, h, y, n, F: tl.constexpr, STRIDE: tl.constexpr):
    """As `together`, with workers of 4 and 8 warps only."""
    tle.gpu.warp_specialize([(F, (x, h, y, n)), (F, (x, h, y + STRIDE, n)), (F, (x, h, y + 2 * STRIDE, n))], [4, 8], [120, 88])
