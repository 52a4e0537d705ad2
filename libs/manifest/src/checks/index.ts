import type { Check } from '../check.js';
import { AI_001, AUT_001, AUT_002, AUT_003 } from './automations.js';
import { CON_001, CON_002, EVT_001 } from './integrations.js';
import { LST_001, REV_001 } from './listing.js';
import { MAN_001, MAN_002, MAN_003, MAN_004, MAN_005 } from './manifest.js';
import { NET_001, NET_002, NET_003, NET_004, SEC_001 } from './network.js';
import { OBJ_001, OBJ_002, OBJ_003, OBJ_004, OBJ_005, OBJ_007, OBJ_008 } from './objects.js';
import { SCP_001, SCP_002, SCP_003, SCP_004, SCP_005 } from './scopes.js';

export const CHECKS: readonly Check[] = [
  AI_001,
  AUT_001,
  AUT_002,
  AUT_003,
  CON_001,
  CON_002,
  EVT_001,
  LST_001,
  MAN_001,
  MAN_002,
  MAN_003,
  MAN_004,
  MAN_005,
  NET_001,
  NET_002,
  NET_003,
  NET_004,
  OBJ_001,
  OBJ_002,
  OBJ_003,
  OBJ_004,
  OBJ_005,
  OBJ_007,
  OBJ_008,
  REV_001,
  SCP_001,
  SCP_002,
  SCP_003,
  SCP_004,
  SCP_005,
  SEC_001,
];
