/** Every pointer into a JSON value. */
export function pathsIn(value: unknown, path: (string | number)[] = []): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [path];
  const below = Object.entries(value).flatMap(([key, member]) =>
    pathsIn(member, [...path, Array.isArray(value) ? Number(key) : key]),
  );
  return [path, ...below];
}

/** What happens to a value: it is removed, another comes in its place, or it is turned round if it is a list. */
export type Edit = { value: unknown } | 'turned' | undefined;

/** A copy with an edit at the path. */
export function edited(value: unknown, [step, ...rest]: (string | number)[], by: Edit): unknown {
  if (step === undefined) {
    if (by === 'turned') return Array.isArray(value) ? [...value].reverse() : value;
    return by?.value;
  }
  const copy = Array.isArray(value) ? [...value] : { ...(value as object) };
  const members = copy as Record<string | number, unknown>;
  if (rest.length > 0 || by) members[step] = edited(members[step], rest, by);
  else if (Array.isArray(copy)) copy.splice(Number(step), 1);
  else delete members[step];
  return copy;
}
