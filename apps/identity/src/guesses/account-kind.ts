/** Challenges of one kind are not answered at the address of the other. */
export type AccountKind = 'users' | 'operators';
