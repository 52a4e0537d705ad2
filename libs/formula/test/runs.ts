/** Runs of a property: few, with a fixed seed, in `npm test`; many in `npm run test:deep`. */
export function runs(few: number): { numRuns: number } {
  return { numRuns: process.env.DEEP === '1' ? few * 50 : few };
}
