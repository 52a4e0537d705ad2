import type { ApiGroupDescription } from '@crm/http';

/** Groups of operations in the API description; several controllers belong to each. */
export const DEVELOPER_PROGRAM: ApiGroupDescription = {
  name: 'Developer program',
  description: 'Certify and submit apps, follow their review, and issue app secrets.',
};

export const MARKETPLACE: ApiGroupDescription = {
  name: 'Marketplace',
  description: 'Published apps, their ratings, and the schema of app packages.',
};

export const INSTALLATIONS: ApiGroupDescription = {
  name: 'Installations',
  description: 'Apps installed in a workspace.',
};
