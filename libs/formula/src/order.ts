/** Either the names, what each reads before itself, or a cycle whose first name stands again at its end. */
export type FormulaOrder = { order: string[]; cycle?: undefined } | { order?: undefined; cycle: string[] };

/**
 * Orders formulas so that each comes after the formulas it reads. Names that are not keys (plain fields) do not
 * count. The order depends only on the order of the map.
 */
export function orderFormulas(dependencies: ReadonlyMap<string, readonly string[]>): FormulaOrder {
  const order: string[] = [];
  const done = new Set<string>();
  for (const root of dependencies.keys()) {
    const cycle = visit(root, dependencies, done, order);
    if (cycle) return { cycle };
  }
  return { order };
}

/** Depth first with a stack of its own: a chain may be as long as an object has fields. */
function visit(
  root: string,
  dependencies: ReadonlyMap<string, readonly string[]>,
  done: Set<string>,
  order: string[],
): string[] | undefined {
  if (done.has(root)) return undefined;
  const path = new Map([[root, dependencies.get(root)!.values()]]);
  const stack = [root];
  while (stack.length > 0) {
    const name = stack.at(-1)!;
    const { value: next, done: exhausted } = path.get(name)!.next();
    if (exhausted) {
      stack.pop();
      path.delete(name);
      done.add(name);
      order.push(name);
    } else if (path.has(next)) {
      return [...stack.slice(stack.indexOf(next)), next];
    } else if (dependencies.has(next) && !done.has(next)) {
      path.set(next, dependencies.get(next)!.values());
      stack.push(next);
    }
  }
  return undefined;
}
