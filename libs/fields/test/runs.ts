/** Runs of a property: a seed of them in `npm test`, many in `npm run test:deep`. */
export function runs(few: number): { numRuns: number } {
  return { numRuns: process.env.DEEP === '1' ? few * 50 : few };
}
