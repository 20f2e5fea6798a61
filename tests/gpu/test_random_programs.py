"""Random valid kernels, against their meaning computed by NumPy."""
from __future__ import annotations

import importlib.util

import numpy as np
import pytest
import random_programs
import torch


@pytest.mark.parametrize("seed", range(60))
def test_random_program(device, tmp_path, seed):
    program = random_programs.RandomProgram(seed)
    path = tmp_path / f"random_program_{seed}.py"
    path.write_text(program.source)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    sources = random_programs.inputs(program, seed)
    given = [torch.from_numpy(source).to(device, dtype) for source, dtype in zip(sources, program.dtypes, strict=True)]
    shape = (program.rows, program.cols)
    written = [torch.full((random_programs.PROGRAMS, stored, *shape), random_programs.UNWRITTEN, dtype=dtype, device=device)
               for stored, dtype in zip(program.stored, program.dtypes, strict=True)]
    module.kernel[(random_programs.PROGRAMS, )](*given, *written, *program.arguments, *program.stored,
                                                num_warps=program.num_warps, num_stages=program.num_stages)
    for kind, (result, expected) in enumerate(zip(written, program.expected(sources), strict=True)):
        np.testing.assert_array_equal(result.cpu().to(torch.float64).numpy(), expected.astype(np.float64),
                                      err_msg=f"output {kind} of\n{program.source}")
