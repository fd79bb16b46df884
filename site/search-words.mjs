/**
 * What readers type who look for a section, where its own text says it otherwise: other services' words, symptoms,
 * things that one builds with it. The search reads them as it reads headings; the pages do not show them.
 */
export const searchWords = {
  '/': 'overview, introduction, what is rookery, features, pusher server, self hosted, alternative',
  '/#quick-start': 'getting started, hello world, tutorial, first steps, try it, demo, five minutes',
  '/concepts':
    'how it works, terms, glossary, vocabulary, basics, explained, difference between channels and push, architecture overview, how does it work',
  '/concepts#app': 'project, application, credentials, what is an app',
  '/concepts#channel': 'topic, room, channel, what is a channel',
  '/concepts#event': 'message, what is an event',
  '/concepts#instance': 'beams instance, what is an instance',
  '/concepts#interest': 'topic, segment, tag, what is an interest',
  '/private-channel': 'tutorial, secure channel, first private channel, example server, script tag, cdn',
  '/recipes#which-feature-for-what':
    'use cases, what can I build, live scores, live order status, ticker, order tracking, tracking, progress bar, auction, game, collaborative, whiteboard, geolocation, map, dashboard, voting, poll, quiz, comments, reactions, feed',
  '/recipes#a-chat-rooms-presence-and-push':
    'messenger, group chat, direct messages, private chat, conversation, chat example, chat room, support chat, reactions',
  '/recipes#kick-or-ban-a-user':
    'terminate connections, disconnect a user, block, boot, log out everywhere, force logout, suspend, deactivate, session revoked, kill a connection, close a connection, close socket',
  '/recipes#remove-a-user-from-a-channel':
    'kick from room, revoke access, remove member, leave, permission changed while connected',
  '/recipes#delete-a-user-with-all-devices-and-data':
    'GDPR, privacy, right to be forgotten, erase personal data, close account, data protection, CCPA',
  '/recipes#an-image-in-a-notification':
    'picture, photo, rich push, icon, logo, avatar, big picture, attachment, icon not displayed, large image',
  '/recipes#a-sound-and-androids-notification-channel':
    'sound, ringtone, vibration, priority, importance, heads-up, critical alerts, high priority, silent',
  '/recipes#what-a-click-on-a-notification-opens':
    'click opens page, tap, deep link, url, redirect, click_action, open app on click, open specific screen, open a screen of the app, nothing happens on tap, intent filter',
  '/recipes#buttons-in-a-notification':
    'actions, action buttons, reply button, interactive, category, custom click, inline reply',
  '/recipes#a-silent-push-data-in-the-background':
    'data only, background update, wake app, content-available, app killed, data message, background app refresh',
  '/recipes#send-or-schedule-a-notification-for-later':
    'delay, delayed, tomorrow, cron, reminder, at a time, deep link',
  '/recipes#quiet-hours-do-not-disturb': 'night, mute, snooze, DND, time zone, sleep, weekend',
  '/recipes#a-typing-indicator': 'is typing, user is writing, typing status',
  '/recipes#one-message-to-many-users-or-to-everyone-broadcast':
    'more than 1000 users, many users, chunk users, all users, everybody, all clients, mass notification, bulk, announcement, send to all devices, global',
  '/recipes#a-push-to-one-user':
    'send push notification to a specific user, by user id, publish to users, publishToUsers, user targeted push, particular user, one person, single user',
  '/recipes#a-message-to-one-user-only':
    'specific user, single user, direct, particular user, sendToUser, private message, by user id, event only to some users, to some members, subset',
  '/recipes#who-is-online-members-of-a-presence-channel':
    'online users, roster, user list, presence, count users, in the room, ghost users, online status, friends, invisible, hide, appear offline, joins and leaves, participants, dead connections, member_added fires twice, list shows only me, change name while connected, update user info',
  '/recipes#which-channels-are-active':
    'list channels, subscribers of a channel, number of subscribers, occupied, open rooms, number of connections, active connections',
  '/recipes#subscribe-a-device-to-an-interest-and-unsubscribe-it':
    'topics, topic subscription, opt out, opt in, unsubscribe from push, delete interest, remove interest, list of interests, preferences, tags, mute',
  '/recipes#a-login-and-a-logout-on-a-device':
    'switch user, shared device, change account, clear device, sign out, next user gets push of previous user, wrong user',
  '/recipes#how-many-received-and-opened-a-push':
    'statistics, analytics, who opened, who opened a notification, open rate, click rate, CTR, delivery report, conversion, impressions, insights',
  '/recipes#when-a-user-was-last-seen':
    'last online, last active, away, idle, user went offline, offline since, activity status',
  '/recipes#earlier-messages-for-who-joins-a-room':
    'old messages, message history, rewind, load more, infinite scroll, late joiner, backlog, past messages, edit or delete a message, pagination',
  '/recipes#guests-without-a-login':
    'anonymous, visitor, unauthenticated, public presence, fake user id, impersonation',
  '/recipes#drop-duplicate-events':
    'twice, duplicates, deduplicate, double messages, same event two times, idempotent, fires twice',
  '/recipes#the-cluster-option-of-pusher-js':
    'cluster required, App key not in this cluster, mt1, eu, options.cluster, you must pass your cluster',
  '/server': 'standalone, docker-less, run',
  '/server#install':
    'setup, download, requirements, prerequisites, node version, upgrade node, which node, supported versions, npm package, verify installation, uninstall, update',
  '/server#start':
    'run, launch, command, first app, own app, app id key secret, credentials, production mode, create app, development app',
  '/server#the-configuration-file': 'rookery.json, config.json, settings file, JSON configuration',
  '/server#address-and-port':
    'custom port, host, bind, listen, expose, LAN, other machine, local network, localhost only, which port, 0.0.0.0, 6001, IPv6 support, dual stack',
  '/server#variables':
    'env, environment, configuration, config file, settings, .env, where is the config, log level, debug',
  '/embedding':
    'nestjs, nest module, integrate, library, embed, existing application, monolith, fastify adapter, FastifyAdapter, express adapter, platform-fastify, platform-express',
  '/embedding#install': 'npm package, peer dependencies, ESM, CommonJS, yarn, pnpm',
  '/embedding#set-up':
    'nest add, schematics, generator, scaffold, cli, init, nx, getting started nestjs, nestjs quick start, nestjs tutorial',
  '/embedding#import': 'forRoot, module imports, app.module.ts, register modules, dependency injection, inject',
  '/embedding#the-first-event':
    'inject service, EventsService, trigger from a controller, from a service, from a cron job, from a queue, emit, nestjs trigger event, nestjs broadcast',
  '/embedding#errors': 'exception, catch, RookeryError, error handling, error codes',
  '/embedding#authorize-channels': 'permissions, private channels, guard',
  '/embedding#what-happens-on-channels':
    'hooks, lifecycle, listeners, user joined, user left, connect, disconnect, on subscribe, callbacks, first connection, last connection, events without webhooks, handleConnection, user goes offline, user closes tab, browser closed, know when user leaves, disconnect event, room is empty, last user left, get notified, channel empty',
  '/embedding#storage-in-production': 'persist, database, typeorm, sqlite, durable, TypeOrmStorageModule, keep data',
  '/embedding#a-console': 'dashboard in my app, admin guard, single sign-on, ConsoleModule',
  '/embedding#your-own-storage':
    'custom repository, ports, adapter, apps from my database, app manager, dynamic apps, AppRepository, tenants',
  '/embedding#options-from-elsewhere': 'forRootAsync, ConfigService, useFactory, async options, environment',
  '/embedding#paths-and-your-global-prefix':
    'setGlobalPrefix, base path, subpath, api prefix, versioning, 404, middleware',
  '/embedding#servers-of-your-own': 'custom http server, https server, express server, attach, app.init, serverless',
  '/embedding#shutting-down': 'enableShutdownHooks, SIGTERM, graceful, 1006, stop',
  '/embedding#global-guards':
    'APP_GUARD, CSRF, throttler, interceptors, helmet, rate limiter, 403, middleware, exception filter',
  '/embedding#swagger': 'openapi, api docs',
  '/embedding#several-apps': 'multi tenant, tenants, customers, second app, isolation, SaaS, one app per customer',
  '/testing': 'jest, vitest, mock, fake, stub, unit test, integration test, e2e test, CI',
  '/testing#a-server': 'e2e, integration test, test push, assert event, spec, supertest',
  '/testing#push-services-that-answer-what-you-say': 'mock APNs, mock FCM, fake firebase, simulate errors',
  '/testing#a-clock': 'fake timers, time travel, timeout test',
  '/testing#three-processes-that-fail': 'chaos, simulation, failover test, network partition, property test',
  '/testing#contracts-for-your-own-ports': 'contract test, custom repository test',
  '/channels': 'pub/sub, publish subscribe, realtime, websocket api, pusher protocol',
  '/channels#clients':
    'pusher-js, client options, connect, wsHost, wss, TLS, HTTPS, SSL, certificate, path, endpoint url, browser, mixed content, script, CDN, renew certificate, mutual, https in development, wss localhost, secure websocket, encrypted connection',
  '/channels#networks-that-break-websockets':
    'long polling, xhr, sockjs, fallback, firewall, corporate proxy, office, school, blocked, streaming transport',
  '/channels#kinds-of-channels':
    'public, private, presence, encrypted, cache, channel types, naming, prefix, last message, last event, initial value, allowed characters, channel name with spaces, dots, sanitize channel names, invalid channel name, valid names, case sensitive, anonymous subscribe, everyone can subscribe',
  '/channels#settings-of-an-app':
    'allowed origins, enable client events, subscription count, webhooks configuration, per app limits, origin check, origin header, CORS of websocket, subdomain origins, mobile app without origin, restrict domains',
  '/channels#history':
    'message history, persist messages, store events, replay, retention, backlog, event log, get past events',
  '/channels#reconnects-without-gaps':
    'missed messages, offline messages, resume, recovery, catch up, connection lost, airplane mode, wifi, tunnel, sleep, continuity, message loss, rewind, session, network change, offline queue, mobile',
  '/channels#replace-a-secret':
    'rotate key, leaked secret, compromised, change credentials, reset, revoke key, expose, forgot secret',
  '/channels#compress-events':
    'permessage-deflate, gzip, compression, bandwidth, traffic, compress messages, smaller, data usage',
  '/channels#presence-alone': 'membership store, PresenceModule, join leave api',
  '/events': 'trigger, publish, emit, send, http api, rest api, backend',
  '/events#triggering':
    'exclude sender, socket_id, get socket id in javascript, own socket id, toOthers, broadcast to others, send from backend, server to client, curl, emit',
  '/events#one-event-to-many-channels':
    'multiple channels, several channels, max channels, send to more than 100 channels, thousands of channels',
  '/events#a-batch': 'bulk, multiple events, batch_events, triggerBatch, many events in one request',
  '/events#data-repeats-reconnects':
    'idempotency, retry, JSON, string, double encoded, payload format, data types, exactly once, force client to reconnect, refresh token, unicode, emoji, JWT expired during connection, session expires, re-authenticate',
  '/events#encrypted-channels':
    'E2E, end to end, encryption, master key, shared secret, decrypt, confidential, tweetnacl, secret messages',
  '/events#webhooks':
    'callbacks, channel occupied, vacated, member added, retries, order of webhooks, webhook queue, HTTP callback',
  '/events#receive-and-verify-webhooks':
    'webhook signature, verification, HMAC, webhook handler, raw body, webhook secret, endpoint example, test webhooks locally, webhook tunnel',
  '/events#guards-on-your-own-routes': 'signed request, sign my own api, authenticate server',
  '/client-events':
    'send while offline, outgoing queue, whisper, peer to peer, client to client, publish from browser, send from client, moderate messages, profanity filter, without server',
  '/client-events#who-may-send-what':
    'moderate, filter, validate, profanity, permissions, read only, check messages, spam',
  '/typed-events': 'typescript, types, schema, validation, zod, DTO, type safety, autocomplete',
  '/hooks': 'react hooks, composables, frontend framework, component, provider, context, bundle size, kB',
  '/hooks#react-and-nextjs':
    'next, remix, useEffect, StrictMode, app router, server components, SSR, vite, gatsby, preact',
  '/hooks#vue': 'nuxt, composable, composition api',
  '/hooks#angular-svelte-and-other-frameworks':
    'sveltekit, angular service, solid, astro, jquery, vanilla javascript, ionic, ember, htmx, alpine, stimulus',
  '/hooks#what-you-can-rely-on': 'server side rendering, SSR, connection status, unmount, re-render, cleanup',
  '/tabs':
    'multiple tabs, shared worker, SharedWorker, several windows, one connection per browser, connections per user',
  '/edge#the-auth-endpoint':
    'next.js auth, authenticate endpoint, authorize endpoint, app router, route handler, nuxt server route, sveltekit endpoint, hono, api/pusher/auth',
  '/edge':
    'next.js, route handler, api route, server action, serverless, lambda, cloudflare workers, vercel, deno, bun, netlify, edge functions, fetch api, bundle size',
  '/sdks/': 'client libraries, languages, SDK list, backend language, supported platforms, rust, elixir',
  '/sdks/#for-all-sdks':
    'host setting, cluster, app id must be a number, numeric id, custom host, own certificate, without sdk, curl',
  '/sdks/#the-auth-endpoint-in-your-language':
    'pusher auth in php, django, flask, fastapi, rails, spring, gin, express, asp.net, auth endpoint example, sign subscriptions, CSRF token mismatch, 419',
  '/sdks/laravel': 'broadcasting, echo, sanctum, .env, broadcast driver, queue, whisper, livewire, inertia',
  '/sdks/laravel#settings':
    'laravel broadcasting config, config/broadcasting.php, broadcast driver, broadcast connection, environment',
  '/sdks/laravel#in-the-browser': 'laravel echo in vue, react, inertia, resources/js/echo.js, bootstrap.js',
  '/sdks/python': 'django, flask, fastapi, celery, django channels replacement, django channels alternative',
  '/sdks/python#channels-on-your-server': 'trigger event from python, publish from python, django, flask, fastapi',
  '/sdks/ruby': 'rails, sidekiq',
  '/sdks/laravel#authorizing-subscriptions': 'broadcasting auth, 403 forbidden',
  '/sdks/php#authorizing-subscriptions': 'php auth endpoint',
  '/sdks/ruby#authorizing-subscriptions': 'rails auth endpoint',
  '/sdks/go#authorizing-subscriptions': 'golang auth endpoint, gin',
  '/sdks/dotnet#authorizing-subscriptions': 'asp.net auth endpoint, minimal api',
  '/sdks/java#authorizing-subscriptions': 'spring auth endpoint',
  '/sdks/ruby#channels-on-your-server':
    'trigger event from ruby, rails, action cable, actioncable, actioncable alternative, hotwire, turbo',
  '/sdks/go': 'golang, golang sdk, gin, server sdk',
  '/sdks/go#channels-on-your-server': 'golang, trigger from golang, publish event from go',
  '/sdks/dotnet#channels-on-your-server':
    'trigger event from C#, send message from .NET, asp.net core, publish from .NET',
  '/sdks/dotnet': 'asp.net, blazor, csharp, unity, maui, signalr, xamarin',
  '/sdks/java#channels-on-your-server':
    'trigger event from java, java backend, spring boot, publish from java, kotlin server',
  '/sdks/java#channels-the-client': 'kotlin, android, subscribe private channel from android, kotlin client',
  '/sdks/java': 'kotlin, android, spring, jvm',
  '/sdks/java#beams-on-your-server':
    'spring, spring boot push notification, send push from java, publishToUsers in java',
  '/sdks/java#beams-on-android': 'android push sdk, kotlin push, firebase messaging service, google-services.json',
  '/sdks/swift': 'ios, iphone, ipad, swiftui, objective-c, macos, xcode',
  '/sdks/swift#channels-the-client': 'connect from ios, ios client, iphone, swiftui, subscribe in swift',
  '/sdks/flutter': 'dart',
  '/sdks/swift#beams': 'ios push sdk, setUserId in swift, notification opened not reported, delivered not counted',
  '/sdks/flutter#beams': 'setUserId in flutter, flutter push notifications, firebase_messaging',
  '/sdks/php': 'symfony, wordpress, composer',
  '/sdks/php#channels-on-your-server': 'trigger event from php, publish from php, symfony, wordpress',
  '/sdks/react-native#with-pusher-js-also-in-expo': 'expo, react native websocket',
  '/sdks/react-native#beams': 'expo push token, ExponentPushToken, react native push notifications',
  '/authorization':
    'auth endpoint, private channel auth, permissions, access control, custom authorizer, broadcasting/auth, read only, security rules, who may subscribe, async, who can subscribe, secure channels, groups of users, teachers and students, channel per role',
  '/authorization#what-a-method-answers':
    '401, 403, forbidden, unauthorized, deny message, error of auth endpoint, return value',
  '/authorization#patterns': 'wildcard, channel name pattern, route parameters, match',
  '/authorization#parameters-guards-and-the-rest':
    'JWT, bearer token, passport, session cookie, request.user, authentication, headers, dependency injection, request scope',
  '/authorization#signing-in':
    'authenticate user, user authentication, login, signin failed, identify user, user id, watchlist, friends online',
  '/authorization#the-beams-token': 'token provider, beams auth, setUserId, authenticated users',
  '/authorization#many-channels-in-one-call':
    'multiple channels, batch auth, auth headers, credentials, fewer requests, authorize multiple channels',
  '/authorization#on-the-socket-itself':
    'without auth endpoint, revoke, authorize on connect, token in url, no http request',
  '/authorization#settings': 'auth path, endpoint url, cors, custom auth endpoint',
  '/apps':
    'create app, delete app, add a second app, manage apps, dynamic apps, app manager, app database, disable app, remove app',
  '/apps#what-a-change-does': 'live update, without restart, disable, effect',
  '/apps#the-api': 'admin api, management api, automate, terraform, REST, provision tenants',
  '/security': 'hardening, threat model, pentest, best practices, secure',
  '/security#secrets':
    'leak, where are secrets stored, plain text, encryption at rest, sensitive data, file permissions',
  '/security#who-may-do-what':
    'permissions, access, rights, roles, authentication overview, impersonation, attack, anonymous access, turn off anonymous subscribe',
  '/security#outgoing-requests': 'SSRF, private network, egress, webhook ip address, internal url',
  '/security#in-front-of-the-server':
    'DDoS, firewall, flood, bot protection, rate limiting, WAF, brute force, spam, open ports, reverse proxy',
  '/state': 'initial data, snapshot, sync, live list, current value, late subscriber, live query, shared state, store',
  '/requests':
    'RPC, request response, request reply, ask server, acknowledge, callback, emitWithAck, call a method, query from page, command',
  '/requests#any-backend': 'http endpoint answers request, other language, proxy requests to my api',
  '/requests#ask-a-page': 'server asks client, confirm, prompt user, query client',
  '/receipts':
    'read receipts, seen by, delivered ticks, acknowledgement, double check, message status, read by everyone, delivery confirmation',
  '/streams':
    'LLM, AI tokens, chatgpt, openai, token by token, streaming text, markdown, partial answer, claude, gemini, ollama, langchain',
  '/ai': 'AI chat, useChat, vercel ai sdk, agent, tool calls, copilot, assistant',
  '/ai#stop-and-steer': 'cancel, abort, stop generating, interrupt, cancel stream, cancel answer',
  '/reliability':
    'guarantees, delivery guarantees, at least once, exactly once, at most once, ordering, SLA, durability',
  '/reliability#what-is-promised':
    'message order, ordering, guarantees, exactly once, FIFO, sequence, in order, consistency, out of order, events arrive in wrong order',
  '/reliability#what-does-not-hold':
    'data loss, message loss, at most once, known issues, caveats, limitations, split brain',
  '/reliability#a-clock-that-is-wrong': 'clock skew, NTP, time drift, timestamp',
  '/reliability#reads-from-a-replica': 'read replica, stale reads, replication lag',
  '/transactions':
    'outbox, transactional outbox, atomic, commit, rollback, consistency, event after save, outbox pattern',
  '/transactions#by-sql': 'from sql, postgres trigger, stored procedure, plpgsql, database trigger, raw query',
  '/other-orms': 'prisma, drizzle, kysely, mikro-orm, sequelize, knex, mongoose',
  '/delivery': 'message loss compared, benchmark reconnect, jitter, success rate',
  '/delivery#a-deploy': 'deploy, reconnect storm, restart benchmark',
  '/push': 'push notifications, mobile push, beams, web push, notification service',
  '/push#without-an-sdk':
    'register token, fcm token, device token, apns token, onNewToken, raw http, register device, expo, flutter, capacitor',
  '/push#an-instance':
    'beams configuration, push setup, credentials, several ios apps, two firebase projects, multiple apps, many bundle ids',
  '/push#apple-apns':
    'p8, certificate, key id, team id, sandbox, production, ios push, testflight, apple developer, topic, voip, critical, thread id, aps payload, payload format, apns options, push to iphone, push to ipad',
  '/push#google':
    'FCM, firebase, service account json, android push, legacy server key, GCM, google-services, HTTP v1, android payload, fcm options, message format, token refresh, push to android',
  '/push#browsers': 'web push, desktop notifications, chrome, firefox, edge, browser support',
  '/push#vapid-keys': 'vapid, public key, applicationServerKey, subject, mailto',
  '/push#asking-for-permission': 'permission prompt, denied, blocked, allow notifications, default, soft prompt',
  '/push#the-service-worker':
    'sw.js, service worker not registering, scope, workbox, pwa, custom service worker, cache',
  '/push#removed-browsers':
    '404 device, device not found, re-register, lost registration, pushsubscriptionchange, expired subscription',
  '/push#safari-and-ios': 'PWA, home screen, iphone web push, add to home screen, standalone, install, macos safari',
  '/push#which-push-services':
    'autopush, mozilla, wns, allowed hosts, supported browsers, firefox, edge, chrome, egress firewall',
  '/push#the-sdks': 'beams sdk host, endpointOverride, point sdk, pushnotifications.pusher.com',
  '/push#the-token-of-a-user':
    'beams auth, user token, JWT, token expiry, generateToken, associate user, authenticated users, refresh token',
  '/push#bringing-devices-along': 'import tokens, migrate devices, bulk import, jsonl, existing tokens',
  '/push#gateways': 'custom gateway, APNs options, concurrency, huawei, timeout, own push service',
  '/push#combined-interests':
    'segments, targeting, audience, exclude, and or not, topic condition, filter devices, mute',
  '/push#what-a-publish-guarantees':
    'TTL, time to live, expire, retry, stuck in sending, still sending, pending, priority, status, delivered, cancel push, state of publish, exactly once push, collapse, push to millions, large audience',
  '/push#devices-that-are-gone':
    'unregistered, uninstalled app, invalid token, NotRegistered, expired token, InvalidRegistration, 410, bounced',
  '/push#devices-that-are-not-seen-any-more': 'inactive devices, stale tokens, old devices, clean up devices',
  '/push#settings': 'typeorm data source, pool size, connection pool, worker, memory',
  '/push#webhooks': 'push webhook, delivery events, opened webhook, webhook secret, notification callback',
  '/notifications':
    'offline user gets push, in-app notifications, notification center, notify once, inbox, duplicate notifications on two devices, when app is closed, if offline, push when user is not on the page, only if not online, fallback to push',
  '/notifications#use-it': 'notify, notifyUsers, feed, notification list',
  '/notifications#in-the-page':
    'unread count, mark as read, mark all as read, bell, notification feed, toast, dismiss, delete notification',
  '/notifications#settings-of-an-app':
    'collapse, grouping, replace, thread, tag, withdraw, remove from other devices, batch, digest, throttle',
  '/notifications#badges': 'app icon number, badge count, clear badge, red dot, reset',
  '/live-activities': 'dynamic island, lock screen, live score, activitykit, ios widget',
  '/own-device-storage': 'custom device repository, mysql devices, mongodb devices, dynamodb',
  '/three-machines':
    'production example, reference deployment, full setup, from scratch, cluster tutorial, VPS, debian, ubuntu',
  '/three-machines#4-nginx-with-tls-on-front':
    "let's encrypt, letsencrypt, certbot, ssl certificate, wss, nginx config, reverse proxy example, expired certificate, renew",
  '/storage':
    'where is data stored, database, persistence, files, data directory, volume, which database, in memory, without a database, does it need a database, database choice',
  '/storage#sqlite':
    'embedded database, file, WAL, locked, sqlite production, rookery.db, volume permissions, network file system, NFS, in-memory only, without a database',
  '/storage#backup-and-restore': 'dump, snapshot, disaster recovery, copy, export, move to another server',
  '/storage#postgresql':
    'connection string, pool size, SSL, RDS, aurora, supabase, neon, managed database, cloud sql, digital ocean, database url, connections exhausted, move from sqlite to postgres, switch database',
  '/storage#tables': 'migrations, schema, migrate, database user permissions, rights, read only, disk full, DDL, grant',
  '/storage#what-is-removed-and-when':
    'retention, clean up, old data, TTL, disk usage, database size, vacuum, purge, expire, uninstall, grows, data lifetime, shrink',
  '/scaling':
    'horizontal scaling, high availability, HA, redundancy, several servers, cluster, multi node, load balancing, pm2, adapter',
  '/scaling#connections-of-one-server-and-memory-per-connection':
    'C10K, how many users, concurrent users, capacity, RAM, sizing, hardware, server requirements, instance size, server specs, how big a server, dedicated server',
  '/scaling#all-cores-of-one-machine': 'multi core, WORKERS, cluster mode, CPU, threads, pm2, vertical scaling',
  '/scaling#many-machines-postgresql':
    'without redis, do I need redis, redis required, redis optional, LISTEN NOTIFY, pgbouncer, postgres cluster, pooler, postgres goes down, database down, failover, neon',
  '/scaling#many-machines-redis':
    'valkey, sentinel, cluster, elasticache, upstash, dragonfly, keydb, memorystore, redis password, redis acl, eviction, maxmemory',
  '/scaling#capacity':
    'million connections, sysctl, kernel, somaxconn, backlog, thundering herd, sizing, bottleneck, tuning',
  '/scaling#clients-over-http': 'sticky sessions, session affinity, long polling load balancer',
  '/scaling#what-happens-when-':
    'crash, node dies, server dies, redis down, redis goes down, flushall, failover time, network partition, split brain, outage, resilience, kill -9, dead node, lost power',
  '/scaling#processes-for-the-api-and-workers': 'separate worker, role, background worker, queue worker, microservice',
  '/scaling#a-rolling-upgrade':
    'zero downtime deploy, blue green, canary, upgrade cluster, version compatibility, without downtime, two versions at once, mixed versions, compatible versions',
  '/operating': 'production, devops, operations, checklist, administration',
  '/operating#something-is-wrong': 'on call, incident, runbook, production is down, outage, emergency, diagnose',
  '/operating#health':
    'health check, liveness, readiness, probe, is it running, alive, uptime, status page, ping, heartbeat url',
  '/operating#metrics':
    'prometheus, monitoring, observability, statsd, datadog, count connections, grafana, version, telemetry, queue length',
  '/operating#dashboard-and-alerts':
    'grafana, alerting, alertmanager, monitoring, pagerduty, on call, alert if webhooks pile up, backlog alert, queue grows',
  '/operating#when-an-alert-fires': 'runbook, pagerduty, alert meaning, critical, warning',
  '/operating#traces': 'opentelemetry, otel, jaeger, tracing, span, APM, zipkin, trace a message',
  '/operating#the-configuration-read-again': 'reload, hot reload, SIGHUP, change settings without restart',
  '/operating#logs':
    'log format, json log, log file, logging, stdout, journald, loki, request id, where are the logs, disable logs, debug logging, log rotation',
  '/operating#upgrading':
    'update, new version, downgrade, rollback, breaking changes, changelog, migrate version, which version, update rookery, upgrade rookery',
  '/operating#docker-kubernetes-systemd':
    'docker compose, docker hub, docker image, container, k8s, helm, pod, image, start on boot, run in background, daemon, service, non-root, grace period, autoscaling, HPA, terminationGracePeriodSeconds, read-only filesystem, volume, nomad, podman, pm2',
  '/operating#restarting-one-process':
    'graceful shutdown, restart, deploy, zero downtime, SIGTERM, drain, reconnect backoff, reconnect delay, socket activation, maintenance, stop the server, retry interval, restart without dropping clients, restart without losing connections, disconnect during deploy',
  '/operating#behind-a-proxy':
    'load balancer, reverse proxy, nginx, haproxy, caddy, traefik, apache, cloudflare, heroku, AWS ALB, ELB, azure, google cloud run, GCP, fly, render, railway, digital ocean, cloudfront, ingress, ngrok, tunnel, idle timeout, 60 seconds, X-Forwarded-For, real IP, disconnects every minute, unix socket, upgrade header',
  '/operating#proxy-configurations': 'nginx.conf, haproxy.cfg, Caddyfile, vhost',
  '/operating#through-an-outbound-proxy': 'corporate proxy, HTTPS_PROXY, egress, squid, no internet access',
  '/performance': 'benchmark, load test, throughput, latency, speed, fast, comparison, stress test, k6, artillery',
  '/performance#choose-a-size':
    'sizing, instance size, capacity planning, server requirements, how big a server, cores, RAM',
  '/performance#what-to-expect':
    'tuning, optimization, faster, cost of a delivery, compression cost, cpu per message, messages per second',
  '/troubleshooting': 'debug, help, errors, problems, faq, not working, support, issues, diagnose',
  '/troubleshooting#a-client-does-not-connect':
    "WebSocket connection failed, can't connect, connection refused, ECONNREFUSED, handshake, unexpected response code 404, 400, error codes, unavailable, connecting forever, self signed certificate, mixed content, too many open files, origin, 4001, 4009, test the connection, connection state failed, ERR_SSL_PROTOCOL_ERROR",
  '/troubleshooting#a-client-is-disconnected':
    'connection drops, keeps disconnecting, closed, close codes, 1006, 1001, reconnect loop, slow consumer, backpressure, timeout, infinite reconnect, disconnects randomly, unstable',
  '/troubleshooting#a-subscription-is-refused':
    'subscription error, auth 403, CORS, 404 auth, invalid signature, AuthError, pusher:subscription_error, preflight, not authorized, cookies not sent, 419',
  '/troubleshooting#why-did-a-client-not-get-an-event':
    'event not received, message lost, missing event, nothing happens, event not firing, bind does not work, events not arriving, listener not called, some clients, see what a user received',
  '/troubleshooting#a-trigger-is-refused':
    'trigger failed, 401, 413, 429, invalid signature, timestamp expired, payload too large, too large, request refused, http api error, split large events, auth_timestamp, rate limited',
  '/troubleshooting#a-request-is-answered-500': 'internal server error, 500, exception, crash',
  '/troubleshooting#a-push-does-not-arrive':
    'notification not received, no notification, push not working, not showing, BadDeviceToken, not delivered, iphone not android, silent, missing push, InvalidRegistration, MismatchSenderId, DeviceTokenNotForTopic, TopicDisallowed, InvalidProviderToken, ExpiredProviderToken, SENDER_ID_MISMATCH, ios push not working, android push not working, web push not working, CORS error of beams',
  '/troubleshooting#a-webhook-does-not-arrive':
    'webhook failed, webhook not called, not firing, not triggered, missing webhook, webhook late, channel_vacated not sent, member_removed not sent, retry webhook, resend, replay, signature mismatch',
  '/troubleshooting#the-server-does-not-start-or-is-not-ready':
    'startup error, crash on start, exits, port in use, EADDRINUSE, database connection, cannot start, 503, hangs, migrations fail, locked',
  '/troubleshooting#the-server-is-slow-or-takes-much-cpu-or-memory':
    'high cpu, memory leak, out of memory, OOM, latency, lag, slow, delay, 100% cpu, heap',
  '/console':
    'dashboard, admin panel, UI, debug console, web interface, monitoring page, inspector, see what a user received, live view, admin, who is connected right now, see connected clients, connection list, kill a connection, search',
  '/console#turning-it-on': 'password, enable, disable, forgot password, login, access console, default password',
  '/console#access':
    'login, session, brute force, wrong password, hide payloads, logout, cookie, read only console, mask sensitive data, hide data, anonymize',
  '/console#what-it-keeps-and-what-it-costs': 'trace memory, overhead, retention of events',
  '/command-line': 'CLI, terminal, commands, shell, version, scripting',
  '/command-line#rookery-doctor':
    'check setup, diagnose, verify installation, test the connection, self test, is everything ok, check if server is running',
  '/command-line#rookery-bench': 'load test, measure latency, benchmark, stress test',
  '/command-line#rookery-config': 'validate configuration, json schema, lint config, check config file',
  '/command-line#rookery-keys': 'generate keys, create credentials, random secret, vapid, app key',
  '/command-line#rookery-apps': 'create app, delete app, remove app, list apps, add app, disable app',
  '/command-line#rookery-trigger': 'send event from shell, test event, publish from cli, curl, cron job',
  '/command-line#rookery-subscribe': 'listen from terminal, watch channel, tail, wscat',
  '/command-line#rookery-publish':
    'send test push, push from cli, test notification, push to one device, single device test',
  '/command-line#rookery-devices': 'list devices, delete device, find device of a user, remove device',
  '/command-line#rookery-users': 'list members, who is in the room from server, disconnect',
  '/command-line#rookery-logs': 'tail, live events, watch, follow, search logs for a user, activity of a user',
  '/command-line#rookery-why': 'why not received, explain, debug event',
  '/command-line#rookery-webhooks': 'resend, replay, dead letters, retry failed webhooks',
  '/comparison':
    'alternatives, vs, versus, pros and cons, competitors, why rookery, difference, ably, soketi, reverb, centrifugo, sockudo, anycable, mercure, signalr, supabase, pubnub, compare, compared with, compare with pusher',
  '/comparison#which-one': 'choose, should I use, recommendation, when to use, vs, versus',
  '/comparison#channels': 'feature table, soketi vs, reverb vs, license, difference, versus',
  '/comparison#socketio': 'socket.io vs, versus, ws',
  '/comparison#push': 'beams vs, onesignal vs, firebase vs, push services compared',
  '/comparison#what-rookery-does-not-do':
    'roadmap, future, planned features, maturity, stable, production ready, limitations, missing',
  '/not-included#prices-plans-and-paid-support':
    'pricing, cost, free tier, billing, license, open source, commercial support, enterprise, SLA, hosted, cloud version',
  '/not-included#binary-data-images-and-files':
    'blob, upload, file transfer, protobuf, msgpack, large message, attachment, video, audio, webrtc, base64, arraybuffer',
  '/not-included#an-archive-of-messages':
    'event sourcing, persistent messages, store forever, chat log, kafka, message broker, queue, edit message, delete message',
  '/not-included#wildcard-subscriptions-filters-and-tags':
    'pattern subscribe, regex, server side filter, subscribe to all, psubscribe, topic filter',
  '/not-included#an-allowlist-of-ip-addresses': 'block ip, whitelist, geo blocking, ban ip, country',
  '/not-included#a-windows-service':
    'windows, nssm, raspberry pi, arm, macos, architecture, platform, apple silicon, alpine',
  '/not-included#other-protocols-mqtt-server-sent-events-grpc-http3':
    'SSE, eventsource, http/2, graphql subscriptions, stomp, amqp, quic, iot, webtransport, signalr',
  '/not-included#email-sms-and-chat-services': 'mail, smtp, twilio, slack, teams, telegram, whatsapp, digest',
  '/not-included#roles-single-sign-on-and-two-factor-login-of-the-console':
    'RBAC, user accounts, SSO, LDAP, oauth, 2FA, MFA, team members, permissions',
  '/not-included#an-audit-log':
    'who changed, admin actions, compliance, SOC 2, history of changes, audit trail, who changed the settings, who deleted',
  '/not-included#templates-segments-and-translations-of-pushes':
    'i18n, localization, language, campaign, marketing, personalization, a/b test, segment',
  '/not-included#merging-concurrent-edits-crdt':
    'yjs, automerge, collaborative editing, google docs, operational transform, cursors, whiteboard, conflict',
  '/not-included#several-regions': 'multi region, geo, global, latency, data center, edge, multi cloud',
  '/migrating': 'switch, move from, replace, convert',
  '/migrating#from-pusher-channels': 'pusher migration, drop-in replacement, leave pusher, pusher alternative',
  '/migrating#from-pusher-beams': 'beams shutdown, beams migration, import devices',
  '/migrating#from-ably-pubnub-firebase-onesignal-supabase-and-others':
    'alternative, replace firebase, appwrite, signalr, pushy, airship, sns, novu, courier',
  '/mirror': 'parallel run, dual write, both services, forward events, gradual migration, canary',
  '/socket-io': 'websocket gateway, rooms, namespaces, adapter, emit, migrate gateway',
  '/socket-io#what-differs': 'binary, volatile, rooms joined by server, catch-all, handleConnection',
  '/conformance': 'compatibility, protocol test, pusher compatible, test suite',
  '/limits': 'quota, maximum, restrictions, thresholds',
  '/limits#channels':
    'rate limit, max size, maximum connections, message size, payload limit, connections per ip, limit members, presence size, name length, throttle, spam, 4301, max channels, room size, events per second, too many, how many connections',
  '/limits#what-one-client-may-cause':
    'abuse, flood, DDoS, per ip, NAT, fair use, connections per ip, malicious client',
  '/limits#streams-and-sessions':
    'ping interval, heartbeat, activity timeout, pong, keepalive, dead connections, detect disconnect, idle clients, disconnect idle',
  '/limits#push': 'devices per user, max interests, push rate, payload size, 429, notification size, too many requests',
  '/limits#webhooks': 'webhook timeout, retries, retry schedule, attempts',
  '/options#apps': 'app configuration, app fields, per app settings',
  '/options#instances': 'push configuration, apns config, fcm config',
  '/options#notifications':
    'push delay, pushAfterSeconds, hourly limit, frequency cap, time zone, daily push limit, pushes per user, frequency',
  '/options#redis': 'heartbeat, lease, redis options, key prefix',
  '/http-api': 'REST API, openapi, swagger, api reference, postman, curl',
  '/http-api#trigger-an-event-with-a-signed-request':
    'curl trigger, hmac, auth_signature, body_md5, shell script, bash, without library, own client library',
  '/project/security': 'vulnerability, CVE, disclosure, bug bounty, report',
  '/project/changelog': 'release notes, what is new, versions',
  '/conformance#in-a-workflow': 'github actions, gitlab ci, pipeline, continuous integration',
  '/command-line#rookery-channels': 'list channels, cli',
  '/project/architecture': 'internals, source code structure, design, how rookery is built',
  '/protocol/api#members-of-a-channel': 'update member info, change user info in presence, user name, avatar',
  '/protocol/channels-wire#15-closing-and-codes': 'close codes, error code list',
  '/scaling#push-several-processes-on-one-postgresql-database':
    'push to millions, faster push, many devices, push throughput, more workers',
};
