/** Asks for the list of shortcuts. */
export const SHOW_SHORTCUTS = 'crm-show-shortcuts';
