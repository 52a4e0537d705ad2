import type { Check } from '../check.js';
import { AI_001 } from './AI-001.js';
import { AUT_001 } from './AUT-001.js';
import { AUT_002 } from './AUT-002.js';
import { CON_001 } from './CON-001.js';
import { CON_002 } from './CON-002.js';
import { EVT_001 } from './EVT-001.js';
import { LST_001 } from './LST-001.js';
import { MAN_001 } from './MAN-001.js';
import { MAN_002 } from './MAN-002.js';
import { MAN_003 } from './MAN-003.js';
import { MAN_004 } from './MAN-004.js';
import { MAN_005 } from './MAN-005.js';
import { NET_001 } from './NET-001.js';
import { NET_002 } from './NET-002.js';
import { NET_003 } from './NET-003.js';
import { NET_004 } from './NET-004.js';
import { OBJ_001 } from './OBJ-001.js';
import { OBJ_002 } from './OBJ-002.js';
import { OBJ_003 } from './OBJ-003.js';
import { OBJ_004 } from './OBJ-004.js';
import { OBJ_005 } from './OBJ-005.js';
import { REV_001 } from './REV-001.js';
import { SCP_001 } from './SCP-001.js';
import { SCP_002 } from './SCP-002.js';
import { SCP_003 } from './SCP-003.js';
import { SCP_004 } from './SCP-004.js';
import { SCP_005 } from './SCP-005.js';
import { SEC_001 } from './SEC-001.js';

/** Every check of the suite, sorted by id. */
export const CHECKS: readonly Check[] = [
  AI_001,
  AUT_001,
  AUT_002,
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
  REV_001,
  SCP_001,
  SCP_002,
  SCP_003,
  SCP_004,
  SCP_005,
  SEC_001,
];
