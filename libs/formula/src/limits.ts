/** Bounds of the formula language. Characters are code points. */
export const LIMITS = {
  /** Characters of a formula's source. */
  sourceCharacters: 4000,
  /** Literals, fields, operators and calls of one formula. */
  nodes: 500,
  /** Parentheses, calls and unary operators that are open at the same time. */
  depth: 50,
  /** Steps from a formula to a formula it reads, along the longest chain. */
  chainDepth: 10,
  /** Nodes of a formula and all it reads, each as often as it is read, in one SQL expression. */
  sqlNodes: 4000,
  /** Characters of a text result; a longer one is null. */
  textCharacters: 4000,
  /** Errors reported for one formula, so that garbage does not give thousands. */
  reportedErrors: 25,
} as const;
