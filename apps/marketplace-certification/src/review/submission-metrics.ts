import { gauge } from '@crm/telemetry';

export const submissionMetrics = {
  items: gauge('submissions', 'Submitted versions by status; each process says so: max, not sum', ['status']),
  oldest: gauge(
    'submission_oldest_seconds',
    'Age of the oldest submitted version in a status: of those in review, how long a developer has waited; max, not sum',
    ['status'],
  ),
};
