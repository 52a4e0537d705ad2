/** People of a workspace who are told what was decided about it: a workspace with thousands of administrators is no mailing list. */
export const MOST_TOLD = 50;
