import { gauge } from '@crm/telemetry';

export const dueWorkMetrics = {
  items: gauge(
    'due_work_items',
    'Items of a queue in the database that are due and that no process is working on, counted up to 10,000; each process says so: max, not sum',
    ['queue'],
  ),
  oldest: gauge('due_work_oldest_seconds', 'How long the oldest of them has been due: max, not sum', ['queue']),
};
