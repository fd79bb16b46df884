import type Prometheus from 'prom-client';
import counter from 'prom-client/lib/counter.js';
import gauge from 'prom-client/lib/gauge.js';
import registry from 'prom-client/lib/registry.js';

// What is used of prom-client, each from its own file: its index loads what measures a process and a cluster too, and
// OpenTelemetry for that.
export const Counter: typeof Prometheus.Counter = counter;
export const Gauge: typeof Prometheus.Gauge = gauge;
export const Registry: typeof Prometheus.Registry = registry;
