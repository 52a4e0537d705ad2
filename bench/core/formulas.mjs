// Formulas, and functions that a programmer would write by hand for the same sense: nulls checked, numbers rounded where the
// language rounds, dates parsed from their text.

/** @type {Readonly<Record<keyof typeof DEALS[0], import('@crm/formula').ValueType>>} */
export const DEAL_FIELDS = {
  amount: 'number',
  discount: 'number',
  quantity: 'number',
  name: 'text',
  email: 'text',
  stage: 'text',
  won: 'boolean',
  closeDate: 'date',
  startDate: 'date',
  createdAt: 'datetime',
  interests: 'multi_select',
};

const STAGES = ['New', 'Qualified', 'Proposal', 'Won', 'Lost'];
const two = (/** @type {number} */ number) => String(number).padStart(2, '0');

/** So few that they stay in the processor's caches: what is measured is the computation. */
export const DEALS = Array.from({ length: 256 }, (_, index) => ({
  amount: index % 17 === 0 ? null : index * 37.5 + 0.25,
  discount: index % 5 === 0 ? null : (index % 30) / 100,
  quantity: (index % 12) + 1,
  name: index % 23 === 0 ? null : `Deal ${index}`,
  email: `person${index}@example.com`,
  stage: STAGES[index % STAGES.length] ?? null,
  won: index % 3 === 0,
  closeDate: `2025-${two((index % 12) + 1)}-${two((index % 28) + 1)}`,
  startDate: `2024-${two((index % 12) + 1)}-15`,
  createdAt: `2024-05-${two((index % 28) + 1)}T10:${two(index % 60)}:00Z`,
  interests: index % 4 === 0 ? null : ['Golf', 'Sailing'],
}));

const DAY = 86_400_000;
export const NOW = new Date('2025-06-15T12:00:00Z');
const TODAY = '2025-06-15';

/** @param {number} value */
const finite = (value) => (Number.isFinite(value) ? value : null);
/** @param {string} from @param {string} to */
const days = (from, to) => (Date.parse(to) - Date.parse(from)) / DAY;
/** Two decimals as Excel rounds them, the usual way in JavaScript. @param {number} value */
const cents = (value) => Math.sign(value) * Number(`${Math.round(Number(`${Math.abs(value).toPrecision(15)}e2`))}e-2`);

/** By formula. @type {Readonly<Record<string, (deal: { [name in keyof typeof DEALS[0]]: typeof DEALS[0][name] | null }) => unknown>>} */
export const BY_HAND = {
  'amount * 2': ({ amount }) => (amount === null ? null : finite(amount * 2)),
  'amount * (1 - discount)': ({ amount, discount }) =>
    amount === null || discount === null ? null : finite(amount * (1 - discount)),
  'amount / quantity': ({ amount, quantity }) =>
    amount === null || quantity === null || quantity === 0 ? null : finite(amount / quantity),
  'quantity % 5': ({ quantity }) => (quantity === null ? null : quantity % 5),
  'amount > 1000': ({ amount }) => (amount === null ? null : amount > 1000),
  'amount == 37.75': ({ amount }) => amount !== null && Math.abs(amount - 37.75) < 1e-11,
  'stage == "Won"': ({ stage }) => stage === 'Won',
  'won && amount > 1000': ({ won, amount }) => won === true && amount !== null && amount > 1000,
  '!won || stage != "Lost"': ({ won, stage }) => won !== true || stage !== 'Lost',
  'IF(amount > 5000, "large", "small")': ({ amount }) => (amount !== null && amount > 5000 ? 'large' : 'small'),
  'BLANKVALUE(amount, 0) + BLANKVALUE(discount, 0)': ({ amount, discount }) => finite((amount ?? 0) + (discount ?? 0)),
  'MAX(amount, discount, 100)': ({ amount, discount }) => Math.max(amount ?? 100, discount ?? 100, 100),
  'ROUND(amount * 1.19, 2)': ({ amount }) => (amount === null ? null : cents(amount * 1.19)),
  'CONCAT(name, " <", email, ">")': ({ name, email }) => `${name ?? ''} <${email ?? ''}>`,
  'UPPER(name)': ({ name }) => (name === null ? null : name.toUpperCase()),
  'CONTAINS(email, "@example.com") && CONTAINS(interests, "Golf")': ({ email, interests }) =>
    (email ?? '').includes('@example.com') && (interests?.includes('Golf') ?? false),
  '"No. " + quantity': ({ quantity }) => `No. ${quantity ?? ''}`,
  'closeDate < TODAY()': ({ closeDate }) => (closeDate === null ? null : closeDate < TODAY),
  'DAYS_BETWEEN(startDate, closeDate)': ({ startDate, closeDate }) =>
    startDate === null || closeDate === null ? null : days(startDate, closeDate),
  'IF(stage == "Won", "closed", IF(closeDate < TODAY(), IF(DAYS_BETWEEN(closeDate, TODAY()) > 30, "stale", "late"), IF(DAYS_BETWEEN(createdAt, closeDate) > 90, "slow", "open")))':
    ({ stage, closeDate, createdAt }) => {
      if (stage === 'Won') return 'closed';
      if (closeDate !== null && closeDate < TODAY) return days(closeDate, TODAY) > 30 ? 'stale' : 'late';
      if (createdAt === null || closeDate === null) return 'open';
      return days(createdAt.slice(0, 10), closeDate) > 90 ? 'slow' : 'open';
    },
};
