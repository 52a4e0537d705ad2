import { catalogue } from '@crm/ui';

export const SETTINGS_TEXTS = catalogue({
  en: { workspace: 'Workspace', picklists: 'Pipelines and picklists' },
  de: { workspace: 'Arbeitsbereich', picklists: 'Pipelines und Auswahllisten' },
});
