import type { Variables } from './other-file.js';
import { pathsByVariable } from './other-variables.js';

const camelCase = (name: string): string => name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());

const app = 'appManager.array.apps.0.';

/** soketi's environment variables, without their prefix SOKETI_, and the settings that they set. */
export const soketiVariables: Readonly<Record<string, string>> = pathsByVariable(
  [
    ['ADAPTER_', 'adapter.', 'DRIVER'],
    ['ADAPTER_CLUSTER_', 'adapter.cluster.', 'REQUESTS_TIMEOUT'],
    ['ADAPTER_NATS_', 'adapter.nats.', 'NODES_NUMBER PASSWORD=pass PREFIX REQUESTS_TIMEOUT SERVERS TIMEOUT TOKEN USER'],
    ['ADAPTER_REDIS_', 'adapter.redis.', 'CLUSTER_MODE PREFIX PUB_OPTIONS=redisPubOptions REQUESTS_TIMEOUT'],
    ['ADAPTER_REDIS_', 'adapter.redis.', 'SUB_OPTIONS=redisSubOptions'],
    ['APP_MANAGER_CACHE_', 'appManager.cache.', 'ENABLED TTL'],
    ['APP_MANAGER_', 'appManager.', 'DRIVER'],
    ['APP_MANAGER_DYNAMODB_', 'appManager.dynamodb.', 'ENDPOINT REGION TABLE'],
    ['APP_MANAGER_MYSQL_', 'appManager.mysql.', 'TABLE USE_V2=useMysql2 VERSION'],
    ['APP_MANAGER_POSTGRES_', 'appManager.postgres.', 'TABLE VERSION'],
    ['CACHE_', 'cache.', 'DRIVER'],
    ['CACHE_REDIS_', 'cache.redis.', 'CLUSTER_MODE OPTIONS=redisOptions'],
    ['CHANNEL_', 'channelLimits.', 'CACHE_TTL LIMITS_MAX_NAME_LENGTH=maxNameLength'],
    ['CLUSTER_', 'cluster.', 'BROADCAST_ADDRESS=broadcast CHECK_INTERVAL HOST=hostname IGNORE_PROCESS'],
    [
      'CLUSTER_',
      'cluster.',
      'KEEPALIVE_INTERVAL=helloInterval MASTER_TIMEOUT MULTICAST_ADDRESS=multicast NODE_TIMEOUT',
    ],
    ['CLUSTER_', 'cluster.', 'PORT PREFIX UNICAST_ADDRESSES=unicast'],
    ['DB_MYSQL_', 'database.mysql.', 'DATABASE HOST PASSWORD PORT USERNAME=user'],
    ['DB_POOLING_', 'databasePooling.', 'ENABLED MAX MIN'],
    ['DB_POSTGRES_', 'database.postgres.', 'DATABASE HOST PASSWORD PORT USERNAME=user'],
    ['DB_REDIS_', 'database.redis.', 'CLUSTER_NODES DB HOST INSTANCE_NAME=name KEY_PREFIX PASSWORD PORT SENTINELS'],
    ['DB_REDIS_', 'database.redis.', 'SENTINEL_PASSWORD USERNAME'],
    ['', '', 'DEBUG'],
    ['DEFAULT_APP_', app, 'ENABLED ENABLE_CLIENT_MESSAGES ID KEY'],
    ['DEFAULT_APP_MAX_', app, 'BACKEND_EVENTS_PER_SEC=maxBackendEventsPerSecond'],
    ['DEFAULT_APP_MAX_', app, 'CLIENT_EVENTS_PER_SEC=maxClientEventsPerSecond CONNS=maxConnections'],
    ['DEFAULT_APP_MAX_', app, 'READ_REQ_PER_SEC=maxReadRequestsPerSecond'],
    ['DEFAULT_APP_', app, 'SECRET USER_AUTHENTICATION=enableUserAuthentication WEBHOOKS'],
    ['EVENT_', 'eventLimits.', 'MAX_BATCH_SIZE MAX_CHANNELS_AT_ONCE MAX_NAME_LENGTH MAX_SIZE_IN_KB=maxPayloadInKb'],
    ['', '', 'HOST HTTP_ACCEPT_TRAFFIC_MEMORY_THRESHOLD=httpApi.acceptTraffic.memoryThreshold'],
    ['METRICS_', 'metrics.', 'DRIVER ENABLED HOST PROMETHEUS_PREFIX=prometheus.prefix SERVER_PORT=port'],
    ['', '', 'MODE PATH_PREFIX PORT'],
    ['PRESENCE_MAX_', 'presence.', 'MEMBERS=maxMembersPerChannel MEMBER_SIZE=maxMemberSizeInKb'],
    ['QUEUE_', 'queue.', 'DRIVER'],
    ['QUEUE_REDIS_', 'queue.redis.', 'CLUSTER_MODE CONCURRENCY OPTIONS=redisOptions'],
    ['QUEUE_SQS_', 'queue.sqs.', 'BATCH_SIZE CLIENT_OPTIONS ENDPOINT POLLING_WAIT_TIME_MS PROCESS_BATCH REGION'],
    ['QUEUE_SQS_', 'queue.sqs.', 'URL=queueUrl'],
    ['RATE_LIMITER_', 'rateLimiter.', 'DRIVER REDIS_CLUSTER_MODE=redis.clusterMode REDIS_OPTIONS=redis.redisOptions'],
    ['', '', 'SHUTDOWN_GRACE_PERIOD'],
    ['SSL_', 'ssl.', 'CA=caPath CERT=certPath KEY=keyPath PASS=passphrase'],
    ['', '', 'USER_AUTHENTICATION_TIMEOUT'],
    ['WEBHOOKS_BATCHING', 'webhooks.batching.', '=enabled _DURATION=duration'],
  ],
  camelCase,
);

/** The variables that may be soketi's, and their settings; the prefix is optional for those in the table. */
export function soketiPathsIn(variables: Variables): readonly (readonly [name: string, path: string])[] {
  const found = Object.entries(soketiVariables).map(([name, path]) => {
    const prefixed = `SOKETI_${name}`;
    return [variables[prefixed] === undefined ? name : prefixed, path] as const;
  });
  const unknown = Object.keys(variables).filter(
    (name) => name.startsWith('SOKETI_') && !(name.slice(7) in soketiVariables),
  );
  return [...found, ...unknown.map((name) => [name, name] as const)];
}
