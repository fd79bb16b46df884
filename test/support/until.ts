export { until } from '@rookery/testing';
