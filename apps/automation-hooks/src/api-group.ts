/** The group of all routes of this service in the API documentation. */
export const WORKFLOW_GROUP = {
  name: 'Workflows',
  description: 'Workflows of a workspace, the hooks that start them from outside, and their runs.',
};
