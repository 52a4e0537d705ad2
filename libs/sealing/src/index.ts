export { KeyRegister, UnusableKeys } from './key-register.js';
export { countKeyUse, type KeyUse } from './key-use.js';
export { type ReencryptOutput, reencryptProgram, runReencrypt } from './reencrypt-program.js';
export { type SealedAgain, sealAgain } from './seal-again.js';
export type { SealedColumn } from './sealed-column.js';
export { SealingModule } from './sealing.module.js';
export { createEncryptionKeyTable, letNarrowRoleFindTenants } from './sealing.table.js';
export { unlistedColumns } from './unlisted-columns.js';
