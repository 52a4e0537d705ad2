/** Bounds of the formula language. Characters are code points. */
export const LIMITS = {
  /** Characters of a formula's source. */
  sourceCharacters: 4000,
  /** Literals, fields, operators and calls of one formula. */
  nodes: 500,
  /** Depth of open parentheses, calls and unary operators. */
  depth: 50,
  /** Steps from a formula to a formula it reads, along the longest chain. */
  chainDepth: 10,
  /** Nodes of one SQL expression: the formula and all formulas it reads, counted once for each read. */
  sqlNodes: 4000,
  /** Characters of a text result; a longer one is null. */
  textCharacters: 4000,
  /** Errors reported for one formula, so that random text does not report thousands. */
  reportedErrors: 25,
} as const;
