"""Failures of the machine, which are not outcomes of a trial."""

from concurrent.futures import BrokenExecutor

from reseed.core.errors import ReseedError

#: Texts in lower case that libraries use for failures of the machine, in errors of any type.
_MACHINE_MESSAGES = (
    *("out of memory", "allocate memory", "no space left on device", "too many open files"),
    *("cuda error", "cuda unknown error", "cuda driver", "nvidia driver", "no cuda gpus"),
    *("cudnn_status_not_initialized", "cudnn_status_alloc", "cudnn_status_internal"),
    *("killed by signal", "exited unexpectedly"),
)


class InfrastructureError(ReseedError):
    """Training failed for lack of memory, a package, a file or a device.

    The model is not the cause, so the failure is not an outcome, and the trial can be repeated.
    """


def is_infrastructure_error(error: BaseException) -> bool:
    """Whether the machine caused an error (memory, device, package, file), not the model.

    An error that was handled when this one was raised counts too. An exception is a missing package
    or file, because a model may try to load it and continue without it.
    """
    handled = False
    link: BaseException | None = error
    seen: set[int] = set()  # an error may be its own cause
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        text = str(link).lower()
        if isinstance(link, (MemoryError, BrokenExecutor)) or any(
            s in text for s in _MACHINE_MESSAGES
        ):
            return True
        if isinstance(link, (ImportError, OSError)) and not handled:
            return True
        handled = handled or link.__cause__ is None
        link = link.__cause__ or link.__context__
    return False
