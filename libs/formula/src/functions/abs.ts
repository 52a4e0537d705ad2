import { type FunctionDefinition, strict } from './definition.js';

export const ABS: FunctionDefinition = {
  name: 'ABS',
  parameters: [{ name: 'number', accepts: ['number'] }],
  result: 'number',
  nullable: ([number]) => number!,
  compile: ([number]) => strict<number, number>(number!, Math.abs),
  emit: ([number]) => `abs(${number!.sql})`,
  doc: { summary: 'The number without its sign. Null for null.', examples: ['ABS(-3)', 'ABS(target - amount)'] },
};
