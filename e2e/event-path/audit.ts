import type { Answer, Endpoint } from './endpoint.js';
import type { CommittedEvent, LoggedDelivery } from './ledger.js';

/** What one delivery should be and was. */
export interface AuditedDelivery {
  /** For messages. */
  readonly name: string;
  readonly isRefused: boolean;
  /** In the order of the requests. */
  readonly answers: readonly Answer[];
  /** Undefined when the ledger does not have it. */
  readonly logged: LoggedDelivery | undefined;
}

/** Every event at every endpoint of its tenant. */
export function auditedDeliveries(
  events: readonly CommittedEvent[],
  endpoints: readonly Endpoint[],
  logged: readonly LoggedDelivery[],
): AuditedDelivery[] {
  const byKey = new Map(logged.map((delivery) => [`${delivery.eventId} ${delivery.subscriptionId}`, delivery]));
  return events.flatMap((event) =>
    endpoints
      .filter(({ tenantId }) => tenantId === event.tenantId)
      .map((endpoint) => ({
        name: `event ${event.id} at subscription ${endpoint.subscriptionId}`,
        isRefused: endpoint.refuses(event.id),
        answers: endpoint.answers.get(event.id) ?? [],
        logged: byKey.get(`${event.id} ${endpoint.subscriptionId}`),
      })),
  );
}

const isAccepted = ({ answers }: AuditedDelivery): boolean => answers.includes(200);

/** Deliveries whose receiver accepts in the end, and never did. */
export const listLost = (deliveries: readonly AuditedDelivery[]): string[] =>
  deliveries.filter((one) => !one.isRefused && !isAccepted(one)).map(({ name }) => name);

/** What is wrong with the ledger, one sentence each. */
export function listLedgerProblems(deliveries: readonly AuditedDelivery[]): string[] {
  return deliveries.flatMap((one) => problemsOf(one).map((problem) => `${one.name}: ${problem}`));
}

function problemsOf({ isRefused, answers, logged }: AuditedDelivery): string[] {
  if (!logged) return ['is not in the ledger'];
  const problems: string[] = [];
  const expected = isRefused ? 'failed' : 'delivered';
  if (logged.status !== expected) problems.push(`is ${logged.status}, not ${expected}`);
  const numbers = Array.from({ length: logged.attempts }, (_, index) => index + 1);
  if (logged.numbers.join() !== numbers.join()) {
    problems.push(`has the attempts ${logged.numbers.join()}, but says that ${logged.attempts} were made`);
  }
  const unexplained = without(
    logged.answers.filter((status) => status !== null),
    answers,
  );
  if (unexplained.length > 0) problems.push(`logs the answers ${unexplained.join()}, which were not given`);
  return problems;
}

/**
 * Deliveries whose attempts in the ledger are not exactly the requests that the receiver got. A killed process takes with it
 * what it has not recorded, so this holds only where nothing was killed.
 */
export function listInexact(deliveries: readonly AuditedDelivery[]): string[] {
  return deliveries
    .map(({ name, answers, logged }) => {
      const given = answers.map((answer) => (typeof answer === 'number' ? answer : null));
      return { name, given: given.join(), logged: logged?.answers.join() };
    })
    .filter(({ given, logged }) => given !== logged)
    .map(({ name, given, logged }) => `${name}: answered ${given}, logged ${logged}`);
}

/** How many requests were answered how. */
export function countAnswers(deliveries: readonly AuditedDelivery[]): Map<Answer, number> {
  const counts = new Map<Answer, number>();
  for (const answer of deliveries.flatMap(({ answers }) => answers)) counts.set(answer, (counts.get(answer) ?? 0) + 1);
  return counts;
}

/** Requests beyond the first that the receiver of a delivery accepted. */
export const countDuplicates = (deliveries: readonly AuditedDelivery[]): number =>
  deliveries.reduce((sum, { answers }) => sum + Math.max(0, answers.filter((one) => one === 200).length - 1), 0);

/** Requests that no attempt of the ledger stands for, because the process that made them could not record them. */
export const countUnlogged = (deliveries: readonly AuditedDelivery[]): number =>
  deliveries.reduce((sum, { answers, logged }) => sum + answers.length - (logged?.attempts ?? 0), 0);

/** The elements of `left` for which `right` has no counterpart. */
function without<T>(left: readonly T[], right: readonly unknown[]): T[] {
  const rest = [...right];
  return left.filter((one) => {
    const index = rest.indexOf(one);
    if (index >= 0) rest.splice(index, 1);
    return index < 0;
  });
}
