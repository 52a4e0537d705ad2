import { ListField } from '@crm/http';
import { SessionView } from '@crm/identity-views';

export class SessionListView {
  @ListField(() => SessionView, { maxItems: 200 })
  data: SessionView[];
}
