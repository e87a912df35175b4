# SPDX-License-Identifier: Apache-2.0
# What type checkers and editors know of the module. A test holds it against the module.
import enum
from typing import Optional, Sequence, Union

import matplotlib.axes
import pandas

# One number for each dimension, one to three; a buffer or range of one dimension takes a plain number as well.
Extent = Union[int, Sequence[int]]
# Half-open: (begin, end).
Box = tuple[Extent, Extent]

class Error(ValueError): ...

class Access(enum.Enum):
    read = ...
    write = ...
    read_write = ...

class UsmKind(enum.Enum):
    host = ...
    device = ...
    shared = ...

class CommandKind(enum.Enum):
    empty = ...
    kernel = ...
    copy = ...
    fill = ...
    host_task = ...
    barrier = ...
    prefetch = ...
    advise = ...
    host_access = ...
    acquire = ...
    subgraph = ...
    allocate = ...
    free = ...

class FindingKind(enum.Enum):
    race = ...
    freed_in_use = ...
    use_after_free = ...
    never_written = ...
    out_of_bounds = ...

class Objective(enum.Enum):
    makespan = ...
    bytes = ...
    memory = ...

class Placement(enum.Enum):
    as_submitted = ...
    list_scheduling = ...
    heft = ...
    exact = ...
    refined = ...
    anywhere = ...

class Memory:
    name: str
    bytes: int

class Device:
    name: str
    backend: str
    memory: int
    maximum_lanes: int
    launch: float
    bandwidth: float
    operations: float
    host_task: float
    listed: bool

class Link:
    source: int
    target: int
    bandwidth: float
    latency: float
    bus: Optional[int]

class Machine:
    # Copies: a changed list has to be assigned.
    memories: list[Memory]
    devices: list[Device]
    links: list[Link]
    def __init__(self) -> None: ...
    @staticmethod
    def read(json: str) -> Machine: ...
    @staticmethod
    def load(path: str) -> Machine: ...
    def save(self, path: str) -> None: ...
    def to_json(self) -> str: ...
    def add_memory(self, name: str, bytes: int) -> int: ...
    def add_device(
        self,
        name: str,
        memory: int,
        *,
        backend: str = "simulated",
        maximum_lanes: int = 8,
        launch: float = 0.0,
        bandwidth: float = 0.0,
        operations: float = 0.0,
        host_task: float = 0.0,
    ) -> int: ...
    def connect(self, a: int, b: int, *, bandwidth: float, latency: float) -> None: ...
    def set_kernel_time(self, kernel: str, device: int, *, start: float, per_unit: float) -> None: ...

class Buffer:
    name: str
    range: tuple[int, ...]
    element_size: int
    page: tuple[int, ...]
    temporary: bool
    evictable: bool

class Allocation:
    kind: UsmKind
    memory: int
    bytes: int

class Requirement:
    buffer: int
    mode: Access
    no_init: bool
    elements: Optional[Box]
    memory: Optional[int]
    def __init__(
        self,
        buffer: int,
        mode: Access = Access.read_write,
        no_init: bool = False,
        elements: Optional[Box] = None,
        memory: Optional[int] = None,
    ) -> None: ...

def reads(buffer: int, elements: Optional[Box] = None) -> Requirement: ...
def overwrites(buffer: int, elements: Optional[Box] = None) -> Requirement: ...
def updates(buffer: int, elements: Optional[Box] = None) -> Requirement: ...

class UsmRange:
    allocation: int
    begin: int
    end: int
    mode: Access
    exact: bool
    def __init__(
        self, allocation: int, begin: int, end: int, mode: Access = Access.read_write, exact: bool = True
    ) -> None: ...

class Command:
    kind: CommandKind
    name: str
    device: Optional[int]
    candidates: list[int]
    requirements: list[Requirement]
    after: list[int]
    usm: list[UsmRange]
    range: tuple[int, ...]
    group: tuple[int, ...]
    bytes: float
    operations: float
    measured: float

class Finding:
    kind: FindingKind
    first: int
    second: Optional[int]
    allocation: Optional[int]
    buffer: Optional[int]
    begin: int
    end: int
    first_writes: bool
    second_writes: bool
    certain: bool
    text: str

class Graph:
    machine: Machine
    buffers: list[Buffer]
    allocations: list[Allocation]
    commands: list[Command]
    def __init__(self, machine: Machine) -> None: ...
    @staticmethod
    def read(json: str) -> Graph: ...
    @staticmethod
    def load(path: str) -> Graph: ...
    def save(self, path: str) -> None: ...
    def to_json(self) -> str: ...
    def add_buffer(
        self,
        name: str,
        range: Extent,
        element_size: int = 4,
        *,
        page: Extent = (),
        temporary: bool = False,
        evictable: bool = False,
    ) -> int: ...
    def add_allocation(self, bytes: int, memory: int, kind: UsmKind = UsmKind.device) -> int: ...
    def add(
        self,
        kind: CommandKind,
        name: str = "",
        device: Optional[int] = None,
        requirements: Sequence[Requirement] = (),
        *,
        after: Sequence[int] = (),
        candidates: Sequence[int] = (),
        usm: Sequence[UsmRange] = (),
        range: Extent = 1,
        group: Extent = (),
        bytes: float = 0.0,
        operations: float = 0.0,
        measured: float = 0.0,
    ) -> int: ...
    def add_kernel(
        self,
        name: str,
        device: Optional[int],
        range: Extent,
        requirements: Sequence[Requirement],
        *,
        after: Sequence[int] = (),
        candidates: Sequence[int] = (),
        usm: Sequence[UsmRange] = (),
        group: Extent = (),
        bytes: float = 0.0,
        operations: float = 0.0,
    ) -> int: ...
    def __len__(self) -> int: ...
    def elements_of_pages(self, buffer: int, pages: Box) -> Box: ...
    def elements_of_bytes(self, buffer: int, begin: int, end: int) -> Box: ...
    def edges(self) -> list[tuple[int, int]]: ...
    def structural_hash(self) -> int: ...
    def check(self, suspicions: bool = False) -> list[Finding]: ...

class Transfer:
    buffer: int
    source: int
    target: int
    elements: Box
    bytes: int

class Step:
    id: int
    lane: int
    device: int
    waits: list[int]
    command: Optional[int]
    transfer: Optional[Transfer]

class Violation:
    step: Optional[int]
    reason: str

class StepTimes:
    start: float
    end: float

class DeviceUse:
    busy: float
    work: float
    commands: int

class LinkUse:
    source: int
    target: int
    bytes: int
    transfers: int

class Simulation:
    makespan: float
    work: float
    span: float
    critical_path: list[int]
    steps: list[StepTimes]
    devices: list[DeviceUse]
    links: list[LinkUse]
    peak_memory: list[int]

class Suggestion:
    text: str
    bytes_before: int
    bytes_after: int
    transfers_before: int
    transfers_after: int
    seconds_before: float
    seconds_after: float

class Explanation:
    text: str
    json: str
    suggestions: list[Suggestion]
    tried: int
    not_tried: int

class Plan:
    graph: Graph
    machine: Machine
    steps: list[Step]
    @staticmethod
    def read(json: str, graph: Graph, machine: Optional[Machine] = None) -> Plan: ...
    @staticmethod
    def load(path: str, graph: Graph, machine: Optional[Machine] = None) -> Plan: ...
    def save(self, path: str) -> None: ...
    def to_json(self) -> str: ...
    def __len__(self) -> int: ...
    def verify(self) -> Optional[Violation]: ...
    def simulate(self) -> Simulation: ...
    def simulation_json(self) -> str: ...
    def trace_json(self) -> str: ...
    def explain_transfer(self, step: int, effort: int = 100000) -> Explanation: ...
    def explain_edge(self, first: int, second: int, effort: int = 100000) -> Explanation: ...
    def explain_command(self, command: int, effort: int = 100000) -> Explanation: ...

def make_plan(
    graph: Graph,
    machine: Optional[Machine] = None,
    *,
    objective: Objective = Objective.makespan,
    placement: Placement = Placement.as_submitted,
    search_seconds: float = 0.1,
    memory_budget: int = 0,
    coalesce: bool = True,
    single_lane: bool = False,
) -> Plan: ...
def command_table(plan: Plan, simulation: Optional[Simulation] = None) -> pandas.DataFrame: ...
def transfer_table(plan: Plan, simulation: Optional[Simulation] = None) -> pandas.DataFrame: ...
def link_table(plan: Plan, simulation: Optional[Simulation] = None) -> pandas.DataFrame: ...
def plot_lanes(
    plan: Plan, simulation: Optional[Simulation] = None, axes: Optional[matplotlib.axes.Axes] = None
) -> matplotlib.axes.Axes: ...
def plot_links(
    plan: Plan, simulation: Optional[Simulation] = None, axes: Optional[matplotlib.axes.Axes] = None
) -> matplotlib.axes.Axes: ...
