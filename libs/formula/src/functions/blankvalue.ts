import { type FunctionDefinition, SCALARS } from './definition.js';

export const BLANKVALUE: FunctionDefinition = {
  name: 'BLANKVALUE',
  parameters: [
    { name: 'value', accepts: SCALARS, shared: true },
    { name: 'substitute', accepts: SCALARS, shared: true },
  ],
  result: 'shared',
  nullable: ([, substitute]) => substitute!,
  compile([value, substitute]) {
    const first = value!.evaluate;
    const second = substitute!.evaluate;
    return (row) => {
      const result = first(row);
      return result === null || result === '' ? second(row) : result;
    };
  },
  emit: ([value, substitute], type) =>
    // The operand appears only once; otherwise every nested call would double the SQL.
    `coalesce(${type === 'text' ? `nullif(${value!.sql} COLLATE "C", '')` : value!.sql}, ${substitute!.sql})`,
  doc: {
    summary: 'The first argument, or the second when the first is null or an empty text. Spaces count as a value.',
    examples: ['BLANKVALUE(nickname, firstName)', 'BLANKVALUE(amount, 0)'],
  },
};
