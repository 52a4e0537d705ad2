import type { ValueTransformer } from 'typeorm';

/** For a `bigint` column whose values stay below 2^53; the driver returns `bigint` as text. */
export const bigintAsNumber: ValueTransformer = {
  from: (value: string | null) => (value === null ? null : Number(value)),
  to: (value: unknown) => value,
};
