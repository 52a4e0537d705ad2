/**
 * Compares the findings of all documents with what is tolerated of each rule.
 * @param {readonly { rule: string, where: string, message: string }[]} findings
 * @param {Readonly<Record<string, number>>} ceiling the most findings per rule; a rule it does not name has none
 * @returns {{ counts: [rule: string, count: number, most: number][], exceeded: string[] }} a count for each rule that
 *   either side names, and the rules with too many findings
 */
export function compare(findings, ceiling) {
  const rules = [...new Set([...Object.keys(ceiling), ...findings.map(({ rule }) => rule)])].sort();
  const counts = rules.map(
    (rule) =>
      /** @type {[string, number, number]} */ ([
        rule,
        findings.filter((finding) => finding.rule === rule).length,
        ceiling[rule] ?? 0,
      ]),
  );
  return { counts, exceeded: counts.filter(([, count, most]) => count > most).map(([rule]) => rule) };
}
