export {
  actingOperator,
  createOperatorAuditTable,
  listOperatorAudit,
  MOST_FAILURES_PER_HOUR,
  type NewOperatorAct,
  recordFailedSignIn,
  recordOperatorAct,
} from './operator-audit.js';
export * as operatorAuditSql from './operator-audit.sql.js';
