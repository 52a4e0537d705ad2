import { BooleanField, DateTimeField, IdField, IntegerField, ListField, TextField } from '@crm/http';

/** An app whose hosts have presented addresses of users of other workspaces. */
export class EmbedConflictView {
  @TextField({ maxLength: 100 })
  appKey: string;

  @IdField({ description: 'The publisher' })
  tenantId: string;

  @IntegerField({ description: 'In the hour that ends, or ended, at `resetsAt`', example: 3 })
  conflicts: number;

  @BooleanField({ description: 'Whether further mints of the app that could tell something are refused now' })
  throttled: boolean;

  @DateTimeField()
  resetsAt: string;
}

export class EmbedConflictListView {
  @ListField(() => EmbedConflictView, { maxItems: 200 })
  data: EmbedConflictView[];
}
