/** What reads what, put in order. */
export interface FormulaOrder {
  /** The names that do not read themselves, each after what it reads. */
  order: string[];
  /** The others in groups: those of a group read each other, directly or not. */
  circles: string[][];
}

/**
 * Orders formulas so that each comes after the formulas it reads, and finds those that read themselves. Names that are
 * not keys (plain fields) do not count. The order depends only on the order of the map; the time grows with the number
 * of names and reads (Tarjan's strongly connected components).
 */
export function orderFormulas(dependencies: ReadonlyMap<string, readonly string[]>): FormulaOrder {
  const walk = new Walk(dependencies);
  for (const root of dependencies.keys()) walk.visit(root);
  return { order: walk.order, circles: walk.circles };
}

/**
 * A shortest way from a name of a circle back to itself: the name, what it reads on the way, the name again.
 * @param circle a group that `orderFormulas` found; the way does not leave it
 */
export function wayBack(
  name: string,
  circle: ReadonlySet<string>,
  dependencies: ReadonlyMap<string, readonly string[]>,
): string[] {
  const readers = new Map<string, string>();
  const queue = [name];
  // Grows while it is walked.
  for (const reader of queue) {
    for (const read of dependencies.get(reader)!) {
      if (!circle.has(read) || readers.has(read)) continue;
      readers.set(read, reader);
      if (read === name) return backwards(name, readers);
      queue.push(read);
    }
  }
  throw new TypeError(`${name} does not read itself`);
}

/** From a name over who reads it until the name comes again, told in the order of reading. */
function backwards(name: string, readers: ReadonlyMap<string, string>): string[] {
  const way = [name];
  let reader = readers.get(name)!;
  while (reader !== name) {
    way.push(reader);
    reader = readers.get(reader)!;
  }
  return [...way, name].reverse();
}

interface Step {
  name: string;
  /** What is still to be followed. */
  reads: Iterator<string, unknown>;
}

/** Depth first with a stack of its own: a chain may be as long as an object has fields. */
class Walk {
  readonly order: string[] = [];
  readonly circles: string[][] = [];
  /** How many names were met before each. */
  private readonly met = new Map<string, number>();
  /** The number of the earliest unplaced name that each is known to reach. */
  private readonly earliest = new Map<string, number>();
  /** Met and not yet placed, in the order of meeting. */
  private readonly unplaced: string[] = [];
  private readonly placed = new Set<string>();

  constructor(private readonly dependencies: ReadonlyMap<string, readonly string[]>) {}

  visit(root: string): void {
    if (this.met.has(root)) return;
    const path = [this.enter(root)];
    for (let step = path.at(-1); step; step = path.at(-1)) {
      const { value: next, done } = step.reads.next() as IteratorResult<string>;
      if (done) {
        path.pop();
        const reader = path.at(-1);
        if (reader) this.reaches(reader.name, this.earliest.get(step.name)!);
        this.leave(step.name);
      } else if (this.dependencies.has(next) && !this.placed.has(next)) {
        if (this.met.has(next)) this.reaches(step.name, this.met.get(next)!);
        else path.push(this.enter(next));
      }
    }
  }

  private enter(name: string): Step {
    this.earliest.set(name, this.met.size);
    this.met.set(name, this.met.size);
    this.unplaced.push(name);
    return { name, reads: this.dependencies.get(name)!.values() };
  }

  private reaches(name: string, number: number): void {
    this.earliest.set(name, Math.min(this.earliest.get(name)!, number));
  }

  /** All that a name reads has been followed: when nothing earlier is among it, its circle is complete. */
  private leave(name: string): void {
    if (this.earliest.get(name) !== this.met.get(name)) return;
    const group = this.unplaced.splice(this.unplaced.lastIndexOf(name));
    for (const member of group) this.placed.add(member);
    const alone = group.length === 1 && !this.dependencies.get(name)!.includes(name);
    if (alone) this.order.push(name);
    else this.circles.push(group);
  }
}
