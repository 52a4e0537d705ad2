import { OPERATOR_ACTS, OPERATOR_SUBJECTS, type OperatorAct, type OperatorSubject } from '@crm/contracts';
import { DateTimeField, EnumField, IdField, IntegerField, TextField } from '@crm/http';

/** What marketplace-admin asks each part of the trail: the filter of its own route, and where to go on. */
export class OperatorAuditQuery {
  @IdField({ optional: true }) operatorId?: string;
  @EnumField(OPERATOR_ACTS, { optional: true }) act?: OperatorAct;
  @EnumField(OPERATOR_SUBJECTS, { optional: true }) subjectKind?: OperatorSubject;
  @TextField({ optional: true, maxLength: 200 }) subjectId?: string;

  @TextField({ optional: true, maxLength: 200, description: "Text in the reason or the subject's name" })
  q?: string;

  @DateTimeField({ optional: true, description: 'At or after this time' }) from?: string;
  @DateTimeField({ optional: true, description: 'Before this time' }) to?: string;
  @IdField({ optional: true, description: 'Entries before this one' }) beforeId?: string;
  @IntegerField({ optional: true, minimum: 1, maximum: 200 }) size?: number;
}
