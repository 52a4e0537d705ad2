/** An option or a stage while it is being edited. */
export interface OptionDraft {
  readonly value: string;
  readonly label: string;
  readonly active: boolean;
  readonly probability?: number;
  readonly meaning?: 'open' | 'won' | 'lost';
}

/** Longest value that is made of a label. */
const MAX_VALUE = 60;

/** A value for a new option: its label in letters, digits and hyphens, as none of the others is. */
export function newValue(label: string, taken: readonly string[]): string {
  const plain = label
    .toLowerCase()
    .replace(/ß/g, 'ss')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .slice(0, MAX_VALUE)
    .replace(/^-|-$/g, '');
  const base = plain || 'option';
  for (let count = 1; ; count += 1) {
    const value = count === 1 ? base : `${base}-${count}`;
    if (!taken.includes(value)) return value;
  }
}

/** @param values of all options that there are elsewhere @returns the options to send: new ones have values by their labels */
export function withValues(options: readonly OptionDraft[], values: readonly string[]): OptionDraft[] {
  const taken = [...values, ...options.map(({ value }) => value)];
  return options.map((option) => {
    if (option.value !== '') return option;
    const value = newValue(option.label, taken);
    taken.push(value);
    return { ...option, value };
  });
}

/** The options with the one at a place moved by one. */
export function moved<T>(options: readonly T[], from: number, by: 1 | -1): T[] {
  const result = [...options];
  const [one] = result.splice(from, 1);
  if (one !== undefined) result.splice(from + by, 0, one);
  return result;
}
