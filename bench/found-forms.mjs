// Each form of filter and sort that an index serves, as our API has it, and as the bare server asks for it.

/** query: of our API; where: of bare_found, with the value as $1, or $1 and the id $2 of the record after which a page begins;
 * after: the column of the value, 'none' when that record has none.
 * @typedef {{ query: string, where: string, filter?: string, after?: string }} Form */
/** @type {Readonly<Record<string, Form>>} */
export const FORMS = {
  'equal, few, newest first': {
    query: 'filterField=companyName',
    filter: 'company',
    where: 'company = $1 ORDER BY id DESC',
  },
  'equal, a third, newest first': {
    query: 'filterField=status',
    filter: 'status',
    where: 'status = $1 ORDER BY id DESC',
  },
  'equal, few, by another field': {
    query: 'filterField=companyName&sort=lastName',
    filter: 'company',
    where: 'company = $1 ORDER BY last_name, id',
  },
  'equal, few, and one of two others': {
    query: `filterField=companyName&filter=${encodeURIComponent('{"field":"status","op":"in","value":["contacted","qualified"]}')}`,
    filter: 'company',
    where: "company = $1 AND status IN ('contacted', 'qualified') ORDER BY id DESC",
  },
  'equal, few, by two other fields': {
    query: 'filterField=companyName&sort=-status,lastName',
    filter: 'company',
    where: 'company = $1 ORDER BY status DESC NULLS LAST, last_name, id',
  },
  ascending: { query: 'sort=lastName', where: 'true ORDER BY last_name, id' },
  descending: { query: 'sort=-lastName', where: 'true ORDER BY last_name DESC, id DESC' },
  'ascending, from the middle': {
    query: 'sort=lastName',
    after: 'last_name',
    where: '(last_name, id) > ($1, $2::uuid) ORDER BY last_name, id',
  },
  'descending, from the middle': {
    query: 'sort=-lastName',
    after: 'last_name',
    where: '(last_name, id) < ($1, $2::uuid) ORDER BY last_name DESC, id DESC',
  },
  'ascending, among those without a value': {
    query: 'sort=phone',
    after: 'none',
    where: 'phone IS NULL AND $1::text IS NULL AND id > $2::uuid ORDER BY id',
  },
  'descending, among those without a value': {
    query: 'sort=-phone',
    after: 'none',
    where: 'phone IS NULL AND $1::text IS NULL AND id < $2::uuid ORDER BY id DESC',
  },
};
