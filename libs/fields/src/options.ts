import type { FieldDefinition, FieldOption } from './field-definition.js';

type Options = NonNullable<FieldDefinition['options']>;

const indexes = new WeakMap<Options, ReadonlyMap<string, number>>();

/** Options as value and label; an option that is a plain text is used as both. */
export function normaliseOptions(options: FieldDefinition['options']): FieldOption[] {
  return (options ?? []).map((option) =>
    typeof option === 'string' ? { value: option, label: option } : { value: option.value, label: option.label },
  );
}

/** The position of each option's value, computed once per list of options. */
export function optionIndex({ options }: FieldDefinition): ReadonlyMap<string, number> {
  if (!options) return new Map();
  let index = indexes.get(options);
  if (!index) {
    index = new Map(normaliseOptions(options).map((option, place) => [option.value, place]));
    indexes.set(options, index);
  }
  return index;
}
