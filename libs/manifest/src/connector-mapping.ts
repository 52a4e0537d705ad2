/** One pair of a stream's mapping. */
export interface MappedField {
  /** The key under which the pair stands in the manifest. */
  key: string;
  source: string;
  destination: string;
}

/**
 * The pairs of a stream's mapping. It is written `{ "<field of the source>": "<field of the destination>" }`;
 * the other direction is understood when every key, and not every value, is a field of the destination.
 *
 * @param mapping the mapping as written
 * @param destinationFields fields of the destination object that can be written
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
