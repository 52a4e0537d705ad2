export interface MappedField {
  key: string;
  source: string;
  destination: string;
}

/**
 * The entries of a stream's mapping, which is written `{ "<source field>": "<destination field>" }`. The opposite
 * direction is recognised when every key, but not every value, is a field of the destination.
 */
export function connectorMapping(
  mapping: Readonly<Record<string, string>>,
  destinationFields: ReadonlySet<string>,
): MappedField[] {
  const entries = Object.entries(mapping);
  const isField = (name: string) => destinationFields.has(name);
  const reversed = entries.every(([key]) => isField(key)) && !entries.every(([, value]) => isField(value));
  return entries.map(([key, value]) =>
    reversed ? { key, source: value, destination: key } : { key, source: key, destination: value },
  );
}
