import { absentUntilSet, gauge } from '@crm/telemetry';

export const certificateExpiry = absentUntilSet(
  gauge(
    'tls_certificate_expires_at_seconds',
    'Unix time at which the certificate expires that this process presents; absent where it speaks plain HTTP',
  ),
);
