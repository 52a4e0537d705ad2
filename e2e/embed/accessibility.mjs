import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8');

/**
 * @param {import('playwright-core').Frame | undefined} frame
 * @returns {Promise<string[]>} what axe finds, a line for each: rule, where, and why
 */
export async function accessibilityProblems(frame) {
  if (!frame) throw new Error('There is no frame');
  // A script element would not do, which the policy of the page refuses.
  if (!(await frame.evaluate('"axe" in window'))) await frame.evaluate(AXE);
  const found = await look(frame);
  // What began to fade in while axe looked has too little contrast until it is there; what is wrong stays so.
  return found.length > 0 ? look(frame) : found;
}

/** @param {import('playwright-core').Frame} frame */
async function look(frame) {
  await frame.evaluate(`Promise.allSettled(
    document.getAnimations().filter((one) => one.effect.getComputedTiming().endTime < Infinity).map((one) => one.finished))`);
  /** @type {{ violations: { id: string, nodes: { target: string[], failureSummary: string }[] }[] }} */
  const { violations } = await frame.evaluate('axe.run(document, { resultTypes: ["violations"] })');
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
  );
}
