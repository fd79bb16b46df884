/**
 * What readers type who look for a section, where its own text says it otherwise: other services' words, symptoms,
 * things that one builds with it. The search reads them as it reads headings; the pages do not show them.
 */
const ofSections = {
  '/project/security#what-is-promised': 'sql injection, injection, security guarantees, attack',
  '/': 'overview, introduction, what is rookery, features, pusher server, self hosted, alternative, is it free, github, source code, homepage, does pusher-js work unchanged, official SDKs unchanged, pusher compatible server',
  '/#quick-start':
    'getting started, hello world, tutorial, first steps, try it, demo, five minutes, how to start, minimal example, install in one minute, run locally, local development',
  '/concepts':
    'how it works, terms, glossary, vocabulary, basics, explained, difference between channels and push, architecture overview, how does it work',
  '/concepts#app': 'project, application, credentials, what is an app',
  '/concepts#channel': 'topic, room, channel, what is a channel',
  '/concepts#event': 'message, what is an event',
  '/concepts#instance': 'beams instance, what is an instance',
  '/concepts#interest':
    'topic, segment, tag, what is an interest, interest name rules, allowed characters of interest, topic name rules, interest naming',
  '/private-channel':
    'tutorial, secure channel, first private channel, example server, script tag, cdn, auth endpoint tutorial, node express example, step by step, first page, html example',
  '/recipes#which-feature-for-what':
    'use cases, what can I build, live scores, live order status, ticker, order tracking, tracking, progress bar, auction, game, collaborative, whiteboard, geolocation, map, dashboard, voting, poll, quiz, comments, reactions, feed, stock ticker, price updates, activity feed, live feed, live blog, multiplayer, mouse cursors, drawing, location sharing, driver location, background job progress, kanban board, live comments, upload progress, countdown, leaderboard, IoT, calls',
  '/recipes#a-chat-rooms-presence-and-push':
    'messenger, group chat, direct messages, private chat, conversation, chat example, chat room, support chat, reactions, chat app, build a chat, one to one chat, DM, room between two users, whatsapp clone, slack clone, push when offline in a chat, customer support, chat tutorial, chat rooms, messaging app, group messages, message to offline members',
  '/recipes#kick-or-ban-a-user':
    'terminate connections, disconnect a user, block, boot, log out everywhere, force logout, suspend, deactivate, session revoked, kill a connection, close a connection, close socket, terminate user connections from backend, terminate_connections, expel, blacklist user, revoke all sessions, sign out everywhere, disconnect from server, force disconnect, remove a user, disconnect one user, ban list, end session, close connections of a user, user deactivated, password changed, invalidate sessions',
  '/recipes#remove-a-user-from-a-channel':
    'kick from room, revoke access, remove member, leave, permission changed while connected, unsubscribe from server, force unsubscribe, server side unsubscribe, revoke subscription, remove from group, lost permission, role changed',
  '/recipes#delete-a-user-with-all-devices-and-data':
    'GDPR, privacy, right to be forgotten, erase personal data, close account, data protection, CCPA, data subject request, delete my data, export user data, delete account, anonymise, DSGVO, personal data, remove all devices of a user',
  '/recipes#an-image-in-a-notification':
    'picture, photo, rich push, icon, logo, avatar, big picture, attachment, icon not displayed, large image, thumbnail, media, gif, video in notification, notification service extension, mutable-content, color, small icon, white square icon, app logo in notification, icon white, icon of notification, picture in push',
  '/recipes#a-sound-and-androids-notification-channel':
    'sound, ringtone, vibration, priority, importance, heads-up, critical alerts, high priority, silent, custom sound, no sound, vibrate, loud, time sensitive, interruption level, passive, channel id, oreo, notification category',
  '/recipes#what-a-click-on-a-notification-opens':
    'click opens page, tap, deep link, url, redirect, click_action, open app on click, open specific screen, open a screen of the app, nothing happens on tap, intent filter, universal link, open chat on tap, navigate to screen, open url, notification opens app only, tap action, data payload on click, handle click, payload in intent',
  '/recipes#buttons-in-a-notification':
    'actions, action buttons, reply button, interactive, category, custom click, inline reply',
  '/recipes#a-silent-push-data-in-the-background':
    'data only, background update, wake app, content-available, app killed, data message, background app refresh, headless, force stop, force quit, swiped away, killed app, terminated state, app closed, background handler, background fetch, wake up the app, content available, data-only message',
  '/recipes#send-or-schedule-a-notification-for-later':
    'delay, delayed, tomorrow, cron, reminder, at a time, deep link, scheduled push, recurring, send at local time, drip, future, cancel scheduled, postpone, cron job push, open page on click, schedule a push next week, delayed push, daily notification, appointment reminder, scheduled notifications',
  '/recipes#quiet-hours-do-not-disturb':
    'night, mute, snooze, DND, time zone, sleep, weekend, no push at night, silence hours, mute at night, timezone, local time',
  '/recipes#a-typing-indicator':
    'is typing, user is writing, typing status, user is typing, throttle typing, composing',
  '/recipes#one-message-to-many-users-or-to-everyone-broadcast':
    'more than 1000 users, chunk users, all users, everybody, all clients, mass notification, bulk, announcement, send to all devices, global, notify all, to everyone online, push to all devices, mailing, system announcement, maintenance banner, group of users, fan-out, list of users, to all clients online, broadcast message, global announcement, notify everyone, send to everybody, all devices push',
  '/recipes#a-push-to-one-user':
    'send push notification to a specific user, by user id, publish to users, publishToUsers, user targeted push, particular user, one person, single user, notify a user, targeted notification, send push by user id, personal notification, external user id, send push from service, PublishService, send push nestjs, publish from nest, push in nestjs, user has multiple devices, all devices of a user, several devices per user',
  '/recipes#a-message-to-one-user-only':
    'specific user, single user, direct, particular user, sendToUser, private message, by user id, event only to some users, to some members, subset, to one client, direct message from server, user channel, emit to user, private user channel, unicast, single client, specific client',
  '/recipes#who-is-online-members-of-a-presence-channel':
    'online users, roster, user list, presence, count users, in the room, ghost users, online status, friends, invisible, hide, appear offline, joins and leaves, participants, dead connections, member_added fires twice, list shows only me, change name while connected, update user info, how many users are online, online count, presence members api, get presence users, list members from server, green dot, user joined, user left, here joining leaving, member list empty, avatars of members, my own user id, members.me, current member, members.count',
  '/recipes#which-channels-are-active':
    'list channels, subscribers of a channel, number of subscribers, occupied, open rooms, number of connections, active connections, is anyone subscribed, is channel occupied, subscriber count, channel info, number of listeners, viewers count, query channel state, channel exists, list rooms, which rooms exist, live channel list, channel statistics, how many subscribers',
  '/recipes#subscribe-a-device-to-an-interest-and-unsubscribe-it':
    'topics, topic subscription, opt out, opt in, unsubscribe from push, delete interest, remove interest, list of interests, preferences, tags, mute, follow a topic, unfollow, turn off notifications, notification settings, notification preferences, categories, subscribe to topic, firebase topics, onesignal tags, notification opt out, unsubscribe all, clear interests, interest subscription, list interests of a device, count subscribers of an interest',
  '/recipes#a-login-and-a-logout-on-a-device':
    'switch user, shared device, change account, clear device, sign out, next user gets push of previous user, wrong user, log out device, remove device on logout, stop receiving after logout, user changed, two accounts, setUserId, bind device to user, unlink device, account switch, stop notifications after logout, wrong user gets push, several users one device, previous user',
  '/recipes#how-many-received-and-opened-a-push':
    'statistics, analytics, who opened, who opened a notification, open rate, click rate, CTR, delivery report, conversion, impressions, insights, metrics of a campaign, delivered count, opens, tracking, engagement, reach, reporting, push analytics, notification statistics, how many opened, how many devices received',
  '/recipes#when-a-user-was-last-seen':
    'last online, last active, away, idle, user went offline, offline since, activity status, last seen at, offline for, presence status away',
  '/recipes#earlier-messages-for-who-joins-a-room':
    'old messages, message history, rewind, load more, infinite scroll, late joiner, backlog, past messages, edit or delete a message, pagination, load previous messages, messages before joining, join late, scroll back, initial messages, messages sent before subscribing',
  '/recipes#guests-without-a-login':
    'anonymous, visitor, unauthenticated, public presence, fake user id, impersonation, not logged in, guest user, public chat, random user id, unregistered users, visitors count',
  '/recipes#drop-duplicate-events':
    'twice, duplicates, deduplicate, double messages, same event two times, idempotent, fires twice, event received twice, duplicated message, handler runs twice, message shown twice, dedupe',
  '/recipes#the-cluster-option-of-pusher-js':
    'cluster required, App key not in this cluster, mt1, eu, options.cluster, you must pass your cluster, cluster parameter, what to put as cluster, region, ap1, us2, PUSHER_APP_CLUSTER, Options object must provide a cluster',
  '/server': 'standalone, docker-less, run',
  '/server#install':
    'setup, download, requirements, prerequisites, node version, upgrade node, which node, supported versions, npm package, verify installation, uninstall, update, npm install, package not found, 404 npm, E404, docker-less install, minimum node version, bun, deno runtime, build from source, published on npm, npm dependencies count, how many dependencies, zero dependencies, install size, npx rookery command not found, command not found, which npm package, how to install',
  '/server#start':
    'run, launch, command, first app, own app, app id key secret, credentials, production mode, create app, development app, first start, npx rookery, production start, default app key, default secret, start in production, deploy on a VPS, how to deploy, production checklist, go live, before going live, launch checklist',
  '/server#the-configuration-file':
    'rookery.json, config.json, settings file, JSON configuration, several apps config, apps json, secrets in config, yaml, config from a secret manager, vault, docker secrets',
  '/server#address-and-port':
    'custom port, host, bind, listen, expose, LAN, other machine, local network, localhost only, which port, 0.0.0.0, 6001, IPv6 support, dual stack, change port, PORT, not reachable from phone, from another computer, listen on all interfaces, docker localhost, which ports need to be open, open ports, firewall port, ports used',
  '/server#variables':
    'env, environment, configuration, config file, settings, .env, where is the config, log level, debug, environment variables, ENV list, PUSHER_APP_ID, TLS_CERT_FILE, TRUST_PROXY, CONSOLE_PASSWORD, all settings, options list',
  '/embedding':
    'nestjs, nest module, integrate, library, embed, existing application, monolith, fastify adapter, FastifyAdapter, express adapter, platform-fastify, platform-express, nest 10, nest 11, supported nestjs version, use in existing nest project, express or fastify, nestjs websocket, nestjs pusher module, nestjs integration, add to nest app',
  '/embedding#install':
    'npm package, peer dependencies, ESM, CommonJS, yarn, pnpm, nestjs install, dependencies, package size, monorepo, turborepo, yarn berry, plug and play, require esm, cannot find module rookery/channels, TS2307, module resolution, cannot resolve module',
  '/embedding#set-up':
    'nest add, schematics, generator, scaffold, cli, init, nx, getting started nestjs, nestjs quick start, nestjs tutorial, only push without channels, push only, without channels, channels only',
  '/embedding#import':
    "forRoot, module imports, app.module.ts, register modules, dependency injection, inject, can't resolve dependencies, UnknownDependenciesException, nest DI error, provider not found, is not a provider, global module, isGlobal, feature module, circular dependency, imported twice, argument EventsService at index, lazy loaded module, LazyModuleLoader, root module, module order",
  '/embedding#the-first-event':
    'inject service, EventsService, trigger from a controller, from a service, from a cron job, from a queue, emit, nestjs trigger event, nestjs broadcast, bullmq processor, queue processor, worker, @Cron, scheduler, task scheduling, event emitter, EventEmitter2, CQRS, event handler, constructor injection, use in a service, in a controller, broadcast from nest, realtime in nestjs, publish event from a service, publish from nest, publish an event, send event in nestjs, nestjs realtime example, nestjs websocket example, nestjs push event, emit from service',
  '/embedding#errors':
    'exception, catch, RookeryError, error handling, error codes, ApiError, try catch trigger, http exception, what is thrown, throw, error class, retry on error',
  '/embedding#authorize-channels':
    'permissions, private channels, guard, private channel in nest, ChannelAuthorizer, custom authorizer',
  '/embedding#what-happens-on-channels':
    'hooks, lifecycle, listeners, user joined, user left, connect, disconnect, on subscribe, callbacks, first connection, last connection, events without webhooks, handleConnection, user goes offline, user closes tab, browser closed, know when user leaves, disconnect event, room is empty, last user left, get notified, channel empty, OnMemberAdded, OnMemberRemoved, OnChannelOccupied, OnChannelVacated, OnUserOnline, OnUserOffline, OnClientEvent, webhooks in process, decorator for client event, decorators, listen to client events on the server, OnGatewayConnection, OnGatewayDisconnect, SubscribeMessage, rxjs observable, handle user disconnect, user left event, detect disconnect on server, presence event on server, know when a client connects',
  '/embedding#storage-in-production':
    'persist, database, typeorm, sqlite, durable, TypeOrmStorageModule, keep data, after restart everything is gone, in memory default, allowMemoryInProduction, existing typeorm connection, data source',
  '/embedding#a-console':
    'dashboard in my app, admin guard, single sign-on, ConsoleModule, console behind my login, admin ui in nest, mount console',
  '/embedding#your-own-storage':
    'custom repository, ports, adapter, apps from my database, app manager, dynamic apps, AppRepository, tenants, apps from prisma, app provider, load apps dynamically, override provider, useExisting, custom store, replace implementation, multi tenant apps from database',
  '/embedding#options-from-elsewhere':
    'forRootAsync, ConfigService, useFactory, async options, environment, registerAsync, config service, read env in module, secrets manager, dynamic options',
  '/embedding#paths-and-your-global-prefix':
    'setGlobalPrefix, base path, subpath, api prefix, versioning, 404, middleware, global prefix breaks endpoints, /api prefix, route conflict, Cannot GET /apps, Cannot POST /pusher/auth, sub path, express middleware, middleware before upgrade, catch-all route, trust proxy in express',
  '/embedding#servers-of-your-own':
    'custom http server, https server, express server, attach, app.init, serverless, no websocket connects in my app, app.listen, http adapter, https in nest, two ports, supertest without listen, serverless-http, vite dev server',
  '/embedding#shutting-down':
    'enableShutdownHooks, SIGTERM, graceful, 1006, stop, graceful shutdown in nest, hot reload, watch mode, port in use after restart, process does not exit, onApplicationShutdown',
  '/embedding#global-guards':
    'APP_GUARD, CSRF, throttler, interceptors, helmet, rate limiter, 403, middleware, exception filter, ThrottlerGuard, ThrottlerException, global guard blocks, ValidationPipe, whitelist, JwtAuthGuard global, public decorator, skip guard, CSRF in nest, APP_INTERCEPTOR, APP_PIPE, APP_FILTER, Unauthorized on /apps, helmet csp',
  '/embedding#swagger': 'openapi, api docs, api documentation, SwaggerModule, openapi in nest',
  '/embedding#several-apps':
    'multi tenant, tenants, customers, second app, isolation, SaaS, one app per customer, app per tenant, default app, multiple pusher apps, white label, two apps in one process, tenant isolation, multiple tenants, one app for each customer',
  '/testing':
    'jest, vitest, mock, fake, stub, unit test, integration test, e2e test, CI, test pusher, fake pusher, mock EventsService, in-memory server, test setup, test without network, testing module, tests without redis, how to test, testing with jest, testing in ci, mock in unit tests',
  '/testing#a-server':
    'e2e, integration test, test push, assert event, spec, supertest, overrideProvider, TestingModule, createTestingModule, expect event was triggered, test private channel, test presence, test a webhook, playwright, cypress, assert push was sent, matchers, toHaveReceived, swap redis for in memory in tests, tests without redis, in-memory',
  '/testing#push-services-that-answer-what-you-say':
    'mock APNs, mock FCM, fake firebase, simulate errors, test push notifications without device, stub gateway, test failed push',
  '/testing#a-clock':
    'fake timers, time travel, timeout test, jest fake timers, advance time, test expiry, test timeouts, time zone in tests',
  '/testing#three-processes-that-fail': 'chaos, simulation, failover test, network partition, property test',
  '/testing#contracts-for-your-own-ports':
    'contract test, custom repository test, test my own repository, verify adapter',
  '/channels': 'pub/sub, publish subscribe, realtime, websocket api, pusher protocol',
  '/channels#clients':
    'pusher-js, client options, connect, wsHost, wss, TLS, HTTPS, SSL, certificate, path, endpoint url, browser, mixed content, script, CDN, renew certificate, mutual, https in development, wss localhost, secure websocket, encrypted connection, connection state, state_change, connected event, connection status indicator, show offline banner, is connected, browser support, supported browsers, old browsers, internet explorer, which pusher-js version, wsPath, http page, auth url, authEndpoint option, reconnect manually, pusher.disconnect, electron, tauri, capacitor, cordova, webview, node client, insecure, tls reload, rotate certificate, certificate expired, authorization header, unsubscribe from a channel, leave channel, pusher.unsubscribe, chrome extension, browser extension, unbind, pusher is not defined, javascript unsubscribe, pusher-js config, configure pusher-js, pusher-js options, set host, custom host pusher-js, connect to localhost, javascript client, detect offline, network status, connect again, subscribe promise, await subscribe, subscription succeeded callback, wait until subscribed, subscription_succeeded, on subscribed',
  '/channels#networks-that-break-websockets':
    'long polling, xhr, sockjs, fallback, firewall, corporate proxy, office, school, blocked, streaming transport, websockets blocked, http fallback, VPN, hotel wifi, antivirus, proxy strips upgrade, enabledTransports, disabledTransports, xhr_streaming, xhr_polling, without websockets',
  '/channels#kinds-of-channels':
    'public, private, presence, encrypted, cache, channel types, naming, prefix, last message, last event, initial value, allowed characters, channel name with spaces, dots, sanitize channel names, invalid channel name, valid names, case sensitive, anonymous subscribe, everyone can subscribe, difference between public and private channel, private vs presence, when to use presence, cache channel, private-encrypted, max channel name length, forbidden characters, colon in channel name, slash, custom channel prefix, channel prefixes, channel naming, naming convention, public channel, presence channel, private channel, channel type, what is a private channel, channel name rules, allowed channel names',
  '/channels#settings-of-an-app':
    'allowed origins, enable client events, subscription count, webhooks configuration, per app limits, origin check, origin header, CORS of websocket, subdomain origins, mobile app without origin, restrict domains, allowedOrigins, restrict origins, per app webhooks, app options, enable subscription counting, tlsOnly, force https, maximum connections of an app, disable an app, client events enable, cross site websocket hijacking, CSWSH, other sites connect, hotlinking, limit who can connect, restrict connections, only my site may connect, disable client events, turn off client events, too many webhooks, fewer webhooks, webhook filter',
  '/channels#history':
    'message history, persist messages, store events, replay, retention, backlog, event log, get past events, keep messages, last messages, message retention, event history, missed events, store and forward, replay last N, persisted messages, message history api, get history, past events, previous events, event storage',
  '/channels#reconnects-without-gaps':
    'missed messages, offline messages, resume, recovery, catch up, connection lost, airplane mode, wifi, tunnel, sleep, continuity, message loss, rewind, session, network change, offline queue, mobile, missed while offline, lost messages on reconnect, resume connection, connection recovery, connectionStateRecovery, background tab, app in background, phone locked, sleep mode, switch from wifi to mobile, sync after reconnect, guaranteed delivery, at least once to client, gap detection, phone offline, elevator, throttled background tab, ios app in background, suspended app, offline first, message recovery, reconnect and get missed events, events while disconnected, offline events, lost while offline, recover messages, missed events',
  '/channels#replace-a-secret':
    'rotate key, leaked secret, compromised, change credentials, reset, revoke key, expose, forgot secret, secret leaked, key rotation, two secrets, old secret still valid, secret committed to git, regenerate secret, new key, secret rotation, app secret compromised, change app secret, new secret, revoke secret',
  '/channels#compress-events':
    'permessage-deflate, gzip, compression, bandwidth, traffic, compress messages, smaller, data usage, reduce bandwidth, websocket compression, network costs, egress costs, payload compression, deflate',
  '/channels#presence-alone': 'membership store, PresenceModule, join leave api',
  '/events':
    'trigger, publish, emit, send, http api, rest api, backend, send event from server, publish message, http publish, emit from backend',
  '/events#triggering':
    'exclude sender, socket_id, get socket id in javascript, own socket id, toOthers, broadcast to others, send from backend, server to client, curl, emit, exclude current user, skip sender, own event, sender receives own message, echo back, optimistic ui, optimistic update, not to myself, except sender, socketId header, X-Socket-ID, trigger to several channels, event name length, response of trigger, answer of trigger, is trigger synchronous, asynchronous, does trigger wait, fire and forget, send event to channel, publish to a channel, emit event, trigger api, broadcast to channel, skip own socket',
  '/events#one-event-to-many-channels':
    'multiple channels, several channels, max channels, send to more than 100 channels, thousands of channels, array of channels, multicast, 100 channels limit, trigger to 200 channels, more than 100 channels, too many channels in trigger',
  '/events#a-batch':
    'bulk, multiple events, batch_events, triggerBatch, many events in one request, send many events at once, batch size, batch limit, bulk trigger, trigger_batch, too many requests in loop',
  '/events#data-repeats-reconnects':
    'idempotency, retry, JSON, string, double encoded, payload format, data types, exactly once, force client to reconnect, refresh token, unicode, emoji, JWT expired during connection, session expires, re-authenticate, idempotency key, avoid duplicate trigger, safe retry, trigger timed out, repeat a trigger, numbers as strings, JSON.parse, object or string, data is a string, date serialization, utf-8, special characters',
  '/events#encrypted-channels':
    'E2E, end to end, encryption, master key, shared secret, decrypt, confidential, tweetnacl, secret messages, end-to-end encrypted, e2ee, server cannot read messages, zero knowledge, private-encrypted, nacl, secretbox, encrypt payload, decryption failed, unable to decrypt, rotate master key, confidential data, health data, who can read my messages, private messages',
  '/events#webhooks':
    'callbacks, channel occupied, vacated, member added, retries, order of webhooks, webhook queue, HTTP callback, webhook format, webhook payload, webhook events list, time_ms, webhook order, duplicate webhooks, webhook retry policy, which events, webhook batching, webhook timeout, several webhook urls, webhook headers, webhook signature',
  '/events#receive-and-verify-webhooks':
    'webhook signature, verification, HMAC, webhook handler, raw body, webhook secret, endpoint example, test webhooks locally, webhook tunnel, X-Pusher-Signature, validate webhook, invalid webhook signature, express webhook, webhook guard, check signature, test webhooks on localhost',
  '/events#guards-on-your-own-routes': 'signed request, sign my own api, authenticate server',
  '/client-events':
    'send while offline, outgoing queue, whisper, peer to peer, client to client, publish from browser, send from client, moderate messages, profanity filter, without server, can clients send events, client to client messages, send from browser, send message from javascript, channel.trigger, triggers without server, enable client events, client events on public channel, rate of client events, own client event not received, disable client events, turn off client events',
  '/client-events#who-may-send-what':
    'moderate, filter, validate, profanity, permissions, read only, check messages, spam, restrict client events, only admin may send, validate client events, block messages, censor, read-only members, authorize client event, bad words',
  '/typed-events':
    'typescript, types, schema, validation, zod, DTO, type safety, autocomplete, type safe events, shared types frontend backend, generics, event map, class-validator, schema of events, asyncapi, contracts, code generation',
  '/hooks':
    'react hooks, composables, frontend framework, component, provider, context, bundle size, kB, usePusher, useSubscription, use in react, frontend hooks, hook, tanstack query, redux, zustand, pinia',
  '/hooks#react-and-nextjs':
    'next, remix, useEffect, StrictMode, app router, server components, SSR, vite, gatsby, preact, useEffect cleanup, unsubscribe on unmount, double subscription strict mode, window is not defined, client component, use client, context provider, react example, pages router, turbopack, memory leak in react, react presence hook, useEffect subscribe, react hook presence, react provider, useChannel example, usePresence, useMembers',
  '/hooks#vue':
    'nuxt, composable, composition api, vue 3 example, onMounted, onUnmounted, vue plugin, pinia, nuxt plugin, vue example, vue presence, vue subscribe on mounted',
  '/hooks#angular-svelte-and-other-frameworks':
    'sveltekit, angular service, solid, astro, jquery, vanilla javascript, ionic, ember, htmx, alpine, stimulus, svelte store, angular rxjs, angular zone, ngOnDestroy, lit, web components, qwik, plain js, without react',
  '/hooks#what-you-can-rely-on':
    'server side rendering, SSR, connection status, unmount, re-render, cleanup, resubscribe, unsubscribes when last component unmounts, shared subscription, hydration, race condition, refused channel in component, connected state in component',
  '/tabs':
    'multiple tabs, shared worker, SharedWorker, several windows, one connection per browser, connections per user, share connection between tabs, BroadcastChannel, duplicate connections, reduce connections, user opens more tabs, pusher-js in web worker, worker thread of browser, pusher-js/worker',
  '/edge#the-auth-endpoint':
    'next.js auth, authenticate endpoint, authorize endpoint, app router, route handler, nuxt server route, sveltekit endpoint, hono, api/pusher/auth, next.js pusher auth, app/api/pusher/auth/route.ts, authjs, nextauth, clerk, remix action, astro endpoint, api route',
  '/edge':
    'next.js, route handler, api route, server action, serverless, lambda, cloudflare workers, vercel, deno, bun, netlify, edge functions, fetch api, bundle size, vercel edge function, lambda function, aws lambda trigger, cloudflare worker, supabase edge functions, firebase functions, cloud functions, small client, without node, can rookery run on vercel, run serverless, deno deploy, nitro, cron trigger, serverless trigger, trigger from vercel, trigger from lambda, next.js server action trigger',
  '/sdks/':
    'client libraries, languages, SDK list, backend language, supported platforms, rust, elixir, which sdks are supported, client library for my language, c++ client, unity sdk, official sdks, supported languages, tested sdk versions, elixir client, erlang, scala, perl',
  '/sdks/#for-all-sdks':
    'host setting, cluster, app id must be a number, numeric id, custom host, own certificate, without sdk, curl, change host, base url, custom endpoint, point sdk to my server, self-hosted url, sdk connects to pusher.com, numeric app id, self-signed certificate in sdk',
  '/sdks/#the-auth-endpoint-in-your-language':
    'pusher auth in php, django, flask, fastapi, rails, spring, gin, express, asp.net, auth endpoint example, sign subscriptions, CSRF token mismatch, 419, sign channel, presence auth, user_info, csrf token, X-CSRF-Token, csrf 403, express auth route, backend auth example, session cookie',
  '/sdks/laravel':
    'broadcasting, echo, sanctum, .env, broadcast driver, queue, whisper, livewire, inertia, laravel instead of reverb, laravel websockets, beyondcode laravel-websockets, laravel replacement for pusher',
  '/sdks/laravel#settings':
    'laravel broadcasting config, config/broadcasting.php, broadcast driver, broadcast connection, environment, .env PUSHER_HOST, PUSHER_PORT, BROADCAST_CONNECTION, BROADCAST_DRIVER, config broadcasting options host, curl error 7, curl error 60, cURL error',
  '/sdks/laravel#in-the-browser':
    'laravel echo in vue, react, inertia, resources/js/echo.js, bootstrap.js, echo wsHost, VITE_PUSHER_HOST, echo options, Echo.private, Echo.join, laravel echo react hooks, forceTLS echo, useEcho',
  '/sdks/python': 'django, flask, fastapi, celery, django channels replacement, django channels alternative',
  '/sdks/python#channels-on-your-server':
    'trigger event from python, publish from python, django, flask, fastapi, celery task, asyncio, trigger from celery',
  '/sdks/ruby': 'rails, sidekiq',
  '/sdks/laravel#authorizing-subscriptions':
    'broadcasting auth, 403 forbidden, channels.php, Broadcast::channel, sanctum auth, broadcasting/auth 403, broadcasting/auth 404, jwt guard laravel, presence channel laravel, echo private channel not authorized, echo auth, Echo.private 403',
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
  '/sdks/java#channels-the-client':
    'kotlin, android, subscribe private channel from android, kotlin client, android websocket, pusher-websocket-java host, kotlin connect, setHost, jetpack compose, coroutine, private channel android, auth header android, proguard, cleartext not permitted, custom host kotlin',
  '/sdks/java': 'kotlin, android, spring, jvm',
  '/sdks/java#beams-on-your-server':
    'spring, spring boot push notification, send push from java, publishToUsers in java, send push from kotlin, RestClient, publish from spring',
  '/sdks/java#beams-on-android':
    'android push sdk, kotlin push, firebase messaging service, google-services.json, POST_NOTIFICATIONS, android 13 permission, override-host-url, base url kotlin, push notifications android host, firebase messaging kotlin, android runtime permission, notification permission android, AndroidManifest',
  '/sdks/swift': 'ios, iphone, ipad, swiftui, objective-c, macos, xcode',
  '/sdks/swift#channels-the-client':
    'connect from ios, ios client, iphone, swiftui, subscribe in swift, PusherSwift host, custom host swift, websocket in ios, auth in swift, combine, async await, spm, cocoapods, reconnect in ios, app goes to background',
  '/sdks/flutter': 'dart',
  '/sdks/swift#beams':
    'ios push sdk, setUserId in swift, notification opened not reported, delivered not counted, PushNotifications swift, beams ios host, registerForRemoteNotifications, AppDelegate, apns token swift, request permission ios, didRegisterForRemoteNotificationsWithDeviceToken, badge on ios, start ios beams',
  '/sdks/flutter#beams':
    'setUserId in flutter, flutter push notifications, firebase_messaging, pusher_beams host, flutter notifications ios, flutter fcm token, firebase_messaging token, background message flutter, ask permission flutter, notification permission flutter',
  '/sdks/php': 'symfony, wordpress, composer',
  '/sdks/php#channels-on-your-server': 'trigger event from php, publish from php, symfony, wordpress',
  '/sdks/react-native#with-pusher-js-also-in-expo':
    'expo, react native websocket, pusher-js in expo, netinfo, android emulator localhost, 10.0.2.2, app in background, expo go realtime',
  '/sdks/react-native#beams':
    'expo push token, ExponentPushToken, react native push notifications, notifee, expo notifications, react-native-firebase, push permission react native, expo-notifications, getDevicePushTokenAsync, beams react native',
  '/authorization':
    'auth endpoint, private channel auth, permissions, access control, custom authorizer, broadcasting/auth, read only, security rules, who may subscribe, async, who can subscribe, secure channels, groups of users, teachers and students, channel per role, custom auth, guard for private channels, auth endpoint in nest, who may join, per channel permission, check membership, authorise users, access rights, tenants may only see own channels, acl, secure a channel, nestjs auth endpoint, private channel permissions, protect channels, authorise channel, allow only owner, authorization rules, authenticate private channel nestjs',
  '/authorization#what-a-method-answers':
    '401, 403, forbidden, unauthorized, deny message, error of auth endpoint, return value, refuse subscription, deny access, return false, throw ForbiddenException, presence member info, auth returns 403, auth returns 500',
  '/authorization#patterns':
    'wildcard, channel name pattern, route parameters, match, private-user-{id}, channel parameters, dynamic channel name, wildcard authorizer, regex channel',
  '/authorization#parameters-guards-and-the-rest':
    'JWT, bearer token, passport, session cookie, request.user, authentication, headers, dependency injection, request scope, CurrentUser, UseGuards, passport-jwt, cookie session, auth0, clerk, keycloak, firebase auth, supabase auth, custom headers, ExecutionContext, database lookup in authorizer, async authorizer, extra params to auth, additional data to auth endpoint, auth params, custom fields, nestjs auth endpoint jwt, use passport, jwt guard, logged-in user in authorizer, cookies in auth',
  '/authorization#signing-in':
    'authenticate user, user authentication, login, signin failed, identify user, user id, watchlist, friends online, pusher.signin, UserAuthenticator, user authentication endpoint, watchlist online, pusher:signin_success, sign in users, pusher.user.bind, user events not received, sendToUser not working',
  '/authorization#the-beams-token': 'token provider, beams auth, setUserId, authenticated users',
  '/authorization#many-channels-in-one-call':
    'multiple channels, batch auth, auth headers, credentials, fewer requests, authorize multiple channels, hundreds of channels, too many auth requests, one auth request, batch authorization, subscribe to many channels',
  '/authorization#on-the-socket-itself':
    'without auth endpoint, revoke, authorize on connect, token in url, no http request, jwt over websocket, token in query string, auth in handshake, authorise on connection, single request auth, bearer token websocket, validate token on connect, no auth endpoint',
  '/authorization#settings':
    'auth path, endpoint url, cors, custom auth endpoint, change auth url, custom path for auth, /pusher/auth 404, useGlobalPrefix, cors for auth',
  '/apps':
    'create app, delete app, add a second app, manage apps, dynamic apps, app manager, app database, disable app, remove app, add app without restart, apps at runtime, create credentials, new app, list of apps, manage tenants, delete an app, add an app, new app at runtime, create a second app, remove an app',
  '/apps#what-a-change-does': 'live update, without restart, disable, effect',
  '/apps#the-api':
    'admin api, management api, automate, terraform, REST, provision tenants, create app by api, onboarding tenants, terraform provider, infrastructure as code, admin endpoints, pulumi',
  '/security':
    'hardening, threat model, pentest, best practices, secure, is it secure, owasp, security review, penetration test, security overview, security checklist, sql injection, injection attacks, input validation, OWASP top 10',
  '/security#secrets':
    'leak, where are secrets stored, plain text, encryption at rest, sensitive data, file permissions, is the key public, public key in javascript, secret in frontend, exposed key, logs contain payloads, message content logged, what is stored, personal data in the database, password hashing, kms, encrypted secrets, telemetry, phone home, tracking, data sent to third parties, is it safe to expose the app key, expose app key, app key safe, public app key, store secrets, where to keep the secret, key in code, secrets management',
  '/security#who-may-do-what':
    'permissions, access, rights, roles, authentication overview, impersonation, attack, anonymous access, turn off anonymous subscribe, replay attack, who can subscribe to public channels, who can trigger, authentication methods, is the api protected, metrics public, who can read presence, permissions matrix, can anyone connect, unauthorized access, token lifetime, guess channel names, session hijacking, stolen token, token theft, steal session, token reuse, who can read my messages, who can read messages, who sees what, who has access, cross site websocket hijacking, CSWSH, origin check, permissions overview, who can trigger events, who can connect, public access, limit who can connect, who may trigger, who can publish, who may send events',
  '/security#outgoing-requests':
    'SSRF, private network, egress, webhook ip address, internal url, server side request forgery, metadata service, 169.254.169.254, internal addresses, outbound connections, which hosts does it call, egress rules, private ip webhook, ALLOW_PRIVATE_NETWORK, which data goes to google and apple, privacy of push content, does apple see notification, can google read push, encrypted push, confidential push',
  '/security#in-front-of-the-server':
    'DDoS, firewall, flood, bot protection, rate limiting, WAF, brute force, spam, open ports, reverse proxy, expose to the internet, production security, TLS version, minimum TLS, TLS 1.3, cipher suites, HSTS, firewall rules, security headers, denial of service, harden, spoof ip, X-Forwarded-For spoofing, protect metrics, protect redis, man in the middle, MITM, eavesdropping, encryption in transit, data in transit, sniffing, production checklist, before going live, secure the server, hardening guide, harden server, protect server',
  '/state':
    'initial data, snapshot, sync, live list, current value, late subscriber, live query, shared state, store, current state, initial state, resync, dashboard data, live data, live table, subscribe and load, ChannelState, latest value, key value, real-time database, firestore replacement, realtime database',
  '/requests':
    'RPC, request response, request reply, ask server, acknowledge, callback, emitWithAck, call a method, query from page, command, ack, emit with acknowledgement, callback from server, client asks server, call server method, rpc over websocket, question and answer, client to server message, send to server over websocket, message to backend, OnRequest, SubscribeMessage, send message from browser to server, message from client to backend, browser to server, frontend sends to backend, upload data from client',
  '/requests#any-backend':
    'http endpoint answers request, other language, proxy requests to my api, requests in php, rpc with python, backend handles client messages, http callback for requests',
  '/requests#ask-a-page':
    'server asks client, confirm, prompt user, query client, server waits for answer of client, server to client request, remote control, is client alive',
  '/receipts':
    'read receipts, seen by, delivered ticks, acknowledgement, double check, message status, read by everyone, delivery confirmation, message delivered, blue ticks, double tick, read status, did the client receive, seen status, confirm receipt, ack of message, how to know if an event was delivered, did the event arrive, was the message delivered, event delivered',
  '/streams':
    'LLM, AI tokens, chatgpt, openai, token by token, streaming text, markdown, partial answer, claude, gemini, ollama, langchain, stream text, llm streaming, typewriter effect, partial response, resume stream after refresh, openai stream to browser, server-sent text, stream of tokens, long answer',
  '/ai':
    'AI chat, useChat, vercel ai sdk, agent, tool calls, copilot, assistant, chatbot, ai sdk transport, multi device chat, background generation, resumable stream',
  '/ai#stop-and-steer': 'cancel, abort, stop generating, interrupt, cancel stream, cancel answer',
  '/reliability':
    'guarantees, delivery guarantees, at least once, exactly once, at most once, ordering, SLA, durability, how reliable, is delivery guaranteed, tested failures, jepsen, guarantee, consistency model',
  '/reliability#what-is-promised':
    'message order, ordering, guarantees, exactly once, FIFO, sequence, in order, consistency, out of order, events arrive in wrong order, message ordering, are messages lost, order guaranteed, at-least-once, crash safety, what happens to accepted events, sequence number',
  '/reliability#what-does-not-hold':
    'data loss, message loss, at most once, known issues, caveats, limitations, split brain, can messages be lost, known problems, limitations of delivery, fire and forget, not guaranteed',
  '/reliability#a-clock-that-is-wrong': 'clock skew, NTP, time drift, timestamp',
  '/reliability#reads-from-a-replica': 'read replica, stale reads, replication lag',
  '/transactions':
    'outbox, transactional outbox, atomic, commit, rollback, consistency, event after save, outbox pattern, database transaction, event only if commit succeeds, dual write, same transaction',
  '/transactions#by-sql': 'from sql, postgres trigger, stored procedure, plpgsql, database trigger, raw query',
  '/other-orms':
    'prisma, drizzle, kysely, mikro-orm, sequelize, knex, mongoose, prisma client, use with prisma, drizzle orm, objection, mikroorm',
  '/delivery': 'message loss compared, benchmark reconnect, jitter, success rate',
  '/delivery#a-deploy': 'deploy, reconnect storm, restart benchmark',
  '/push':
    'push notifications, mobile push, beams, web push, notification service, send push, native push, ios and android push, web notifications, mobile notifications, how does push work, only push without channels, push only, use beams without channels',
  '/push#without-an-sdk':
    'register token, fcm token, device token, apns token, onNewToken, raw http, register device, expo, flutter, capacitor, register fcm token, refresh token of device, onTokenRefresh, device api, register device with curl, capacitor push, react native fcm token, token refresh, save device token, unregister device, kotlin without sdk, own registration, get device id, getDeviceId, device token changed, new token, token renewed, token rotation, register device by http, device registration api, update device token, token changed',
  '/push#an-instance':
    'beams configuration, push setup, credentials, several ios apps, two firebase projects, multiple apps, many bundle ids, beams instance config, where do I put apns key, fcm credentials, two apps one server, staging and production apps, bundle id, several platforms, instance id, push credentials, configure push, push configuration, enable push, set up push notifications',
  '/push#apple-apns':
    'p8, certificate, key id, team id, sandbox, production, ios push, testflight, apple developer, topic, voip, critical, thread id, aps payload, payload format, apns options, push to iphone, push to ipad, sandbox vs production, debug build, xcode build, BadDeviceToken in development, apns auth key, BadTopic, bundle id, apns-topic, expired certificate, push entitlement, aps-environment, apns-push-type, apns priority, apns-collapse-id, mac app, apple watch, safari legacy, push on simulator, xcode simulator, ios simulator, test on simulator, ios push certificate, apns setup, apple push setup, p8 key setup, ios push setup, push certificate, apple key',
  '/push#google':
    'FCM, firebase, service account json, android push, legacy server key, GCM, google-services, HTTP v1, android payload, fcm options, message format, token refresh, push to android, firebase setup, service account, firebase cloud messaging key, server key deprecated, fcm v1 migration, PERMISSION_DENIED fcm, 403 fcm, google credentials, fcm priority, android setup, fcm sender id, do I need firebase, google play services, without google play, aosp, firebase project setup, android push setup, fcm setup, google setup, service account file, fcm key',
  '/push#browsers':
    'web push, desktop notifications, chrome, firefox, edge, browser support, enable web push, browser notifications, push in chrome, push api, web push setup, pwa push, brave, opera, samsung internet, web push setup guide, browser push setup, chrome push',
  '/push#vapid-keys':
    'vapid, public key, applicationServerKey, subject, mailto, existing vapid keys, import vapid, change vapid keys, InvalidAccessError, applicationServerKey mismatch, VapidPkHashMismatch, generate vapid',
  '/push#asking-for-permission':
    'permission prompt, denied, blocked, allow notifications, default, soft prompt, permission denied, user blocked notifications, Notification.requestPermission, NotAllowedError, prompt does not appear, re-ask permission, double opt-in, user gesture, ask on click',
  '/push#the-service-worker':
    'sw.js, service worker not registering, scope, workbox, pwa, custom service worker, cache, service worker not found, service worker 404, combine service workers, firebase-messaging-sw.js, onesignal worker, scope of service worker, next-pwa, angular ngsw, push event listener, custom notification in service worker',
  '/push#removed-browsers':
    '404 device, device not found, re-register, lost registration, pushsubscriptionchange, expired subscription, browser no longer gets push, re-subscribe browser, cleared site data, device does not exist',
  '/push#safari-and-ios':
    'PWA, home screen, iphone web push, add to home screen, standalone, install, macos safari, web push on iphone, ios 16.4, iphone not asking permission, install prompt, macos safari push, ipad',
  '/push#which-push-services':
    'autopush, mozilla, wns, allowed hosts, supported browsers, firefox, edge, chrome, egress firewall, UnsafeUrl, firefox push not arriving, edge notifications, unified push, ntfy, de-googled, grapheneos, chromium',
  '/push#the-sdks':
    'beams sdk host, endpointOverride, point sdk, pushnotifications.pusher.com, endpoint of beams sdk, change beams host, hard-coded host, self-hosted beams, wildcard dns, mdm',
  '/push#the-token-of-a-user':
    'beams auth, user token, JWT, token expiry, generateToken, associate user, authenticated users, refresh token, token provider, token expired, beams token, generate beams token, jwt for beams, 401 beams auth, setUserId error, authenticate device, user id mismatch, jwt secret algorithm, HS256, user token for push, authenticate user for push, setUserId token, beams token endpoint',
  '/push#bringing-devices-along':
    'import tokens, migrate devices, bulk import, jsonl, existing tokens, export tokens, import fcm tokens, migrate tokens, csv of devices, keep existing subscribers, move devices, import web push subscriptions',
  '/push#gateways':
    'custom gateway, APNs options, concurrency, huawei, timeout, own push service, own push provider, pushy, hms, huawei gateway, apns connections, http2 streams, add platform',
  '/push#combined-interests':
    'segments, targeting, audience, exclude, and or not, topic condition, filter devices, mute, users in two groups, and/or conditions, exclude users, boolean interests, audience filter, targeting rules, and not',
  '/push#what-a-publish-guarantees':
    'TTL, time to live, expire, retry, stuck in sending, still sending, pending, priority, status, delivered, cancel push, state of publish, exactly once push, collapse, push to millions, large audience, push twice, duplicate push, retries of push, ttl of notification, how long is push kept, device offline for days, speed of push, throughput of push, abort publish, cancel a scheduled publish, publish state, resend push, push sent twice, push shows twice',
  '/push#devices-that-are-gone':
    'unregistered, uninstalled app, invalid token, NotRegistered, expired token, InvalidRegistration, 410, bounced, Unregistered, 410 Gone, invalid registration token, clean invalid tokens, feedback service, device removed automatically, uninstalled, devices disappeared, devices vanish',
  '/push#devices-that-are-not-seen-any-more':
    'inactive devices, stale tokens, old devices, clean up devices, delete inactive devices, device cleanup, never opened app, stale devices',
  '/push#settings':
    'typeorm data source, pool size, connection pool, worker, memory, publish module options, retention, workers of push, page size, delivery concurrency',
  '/push#webhooks':
    'push webhook, delivery events, opened webhook, webhook secret, notification callback, push delivered callback, notification opened event, delivery receipt push, publish webhook',
  '/notifications':
    'offline user gets push, in-app notifications, notification center, notify once, inbox, duplicate notifications on two devices, when app is closed, if offline, push when user is not on the page, only if not online, fallback to push, notify user wherever they are, push or websocket, realtime and push together, avoid push if online, in-app first, toast, notification bell, unread notifications, push only when offline, notification system, notify user online or offline',
  '/notifications#use-it':
    'notify, notifyUsers, feed, notification list, send a notification, NotificationsService, notify from nest, notification to user, status of notification, read status',
  '/notifications#in-the-page':
    'unread count, mark as read, mark all as read, bell, notification feed, toast, dismiss, delete notification, list of notifications, notification dropdown, mark read, clear all, unread badge in page',
  '/notifications#settings-of-an-app':
    'collapse, grouping, replace, thread, tag, withdraw, remove from other devices, batch, digest, throttle, wait before push, delay before push, group notifications, replace earlier notification, limit number of pushes, remove push when read on other device, threads, stack, group notifications together, bundle notifications, merge notifications, summary, remove notification after it was read, remove a shown notification, clear notification from the tray',
  '/notifications#badges':
    'app icon number, badge count, clear badge, red dot, reset, badge on app icon, unread number on icon, app badge, badge not updating, badge api',
  '/live-activities':
    'dynamic island, lock screen, live score, activitykit, ios widget, ActivityKit push, live activity remote update, sports score on lock screen',
  '/own-device-storage':
    'custom device repository, mysql devices, mongodb devices, dynamodb, devices in my own database, DeviceRepository, tokens in my users table, mongoose devices, prisma devices',
  '/three-machines':
    'production example, reference deployment, full setup, from scratch, cluster tutorial, VPS, debian, ubuntu, high availability setup, complete example, production cluster, bare metal, hetzner, ansible, ha setup, active active, redundancy example',
  '/three-machines#4-nginx-with-tls-on-front':
    "let's encrypt, letsencrypt, certbot, ssl certificate, wss, nginx config, reverse proxy example, expired certificate, renew, nginx config example, proxy_pass websocket, proxy_read_timeout, least_conn, ssl termination, nginx upstream, TLS termination",
  '/storage':
    'where is data stored, database, persistence, files, data directory, volume, which database, in memory, without a database, does it need a database, database choice, which data is persisted, data location, what is lost on restart, what is in redis, where are devices stored, data residency, eu hosting, where is user data, stateful or stateless, what databases are supported, supported databases, which databases, what is stored, where are messages stored, data stored in redis, data in memory, which data',
  '/storage#sqlite':
    'embedded database, file, WAL, locked, sqlite production, rookery.db, volume permissions, network file system, NFS, in-memory only, without a database, SQLITE_BUSY, database is locked, WAL file size, wal grows, is sqlite enough, sqlite vs postgres, docker volume sqlite, sqlite corruption, ephemeral disk, litestream',
  '/storage#backup-and-restore':
    'dump, snapshot, disaster recovery, copy, export, move to another server, scheduled backup, cron backup, restore database, recover data, copy database to new server, pg_dump, point in time recovery, backup while running, move server to new host, move to another machine, change server, new machine',
  '/storage#postgresql':
    'connection string, pool size, SSL, RDS, aurora, supabase, neon, managed database, cloud sql, digital ocean, database url, connections exhausted, move from sqlite to postgres, switch database, postgres ssl, sslmode, self signed certificate in certificate chain, no pg_hba.conf entry, too many clients already, connection pool, postgres version, DATABASE_URL format, managed postgres, sqlite to postgres migration, upgrade postgres version, which postgres version',
  '/storage#tables':
    'migrations, schema, migrate, database user permissions, rights, read only, disk full, DDL, grant, no space left on device, ENOSPC, SQLITE_FULL, SQLITE_READONLY, disk is full, database takes no writes, permission denied for schema public, run migrations manually, migration user, schema name, table names, tables created, cannot revert migration, corrupt database, malformed disk image',
  '/storage#what-is-removed-and-when':
    'retention, clean up, old data, TTL, disk usage, database size, vacuum, purge, expire, uninstall, grows, data lifetime, shrink, how long is data kept, free disk space, database too big, old records, delete old publishes, auto delete, retention policy, prune, reclaim space, wal, data minimisation, how long are messages stored, retention time, data deletion, cleanup, storage duration',
  '/scaling':
    'horizontal scaling, high availability, HA, redundancy, several servers, cluster, multi node, load balancing, pm2, adapter, add another node, second server, scale out, cluster mode, several instances, replicas, run two instances, pm2 cluster, multiple pods, events only reach some clients, autoscale, does it scale, architecture for scale, how many servers do I need, multiple servers, load balanced, scale horizontally, more than one server',
  '/scaling#connections-of-one-server-and-memory-per-connection':
    'C10K, how many users, concurrent users, capacity, RAM, sizing, hardware, server requirements, instance size, server specs, how big a server, dedicated server, how many clients, max connections per server, ram per connection, memory usage per client, 10000 connections, 100k connections, file descriptors, ulimit',
  '/scaling#all-cores-of-one-machine':
    'multi core, WORKERS, cluster mode, CPU, threads, pm2, vertical scaling, use all cores, node cluster, worker crashed, multithreading, more than one cpu, balance connections between workers, uneven load of workers',
  '/scaling#many-machines-postgresql':
    'without redis, do I need redis, redis required, redis optional, LISTEN NOTIFY, pgbouncer, postgres cluster, pooler, postgres goes down, database down, failover, neon, postgres instead of redis, postgres pub/sub, notify queue, without redis cluster, pgpool, supavisor, transaction pooling, connection pooler, prepared statements, cluster with postgres, several servers one database, multiple servers postgres',
  '/scaling#many-machines-redis':
    'valkey, sentinel, cluster, elasticache, upstash, dragonfly, keydb, memorystore, redis password, redis acl, eviction, maxmemory, redis version, redis cluster support, redis tls, NOAUTH, WRONGPASS, redis memory, redis persistence, AOF, redis sentinel failover, azure cache for redis, redis user acl, noeviction, shared redis, key prefix, OOM command not allowed, add redis, connect redis, redis configuration, redis setup, several redis instances, redis connection string, redis url, data stored in redis, what is in redis',
  '/scaling#capacity':
    'million connections, sysctl, kernel, somaxconn, backlog, thundering herd, sizing, bottleneck, tuning, tune kernel, one million connections, tcp settings, ephemeral ports, port exhaustion, reconnect storm, nf_conntrack, how far does it scale, limits of one cluster',
  '/scaling#clients-over-http':
    'sticky sessions, session affinity, long polling load balancer, sticky session needed, ip hash, polling clients behind load balancer, cookie affinity',
  '/scaling#what-happens-when-':
    'crash, node dies, server dies, redis down, redis goes down, flushall, failover time, network partition, split brain, outage, resilience, kill -9, dead node, lost power, failover, redis restart, postgres restart, lost node, network failure, machine dies, ghost members after crash, what if redis fails, what if the server crashes, recovery time, RTO, RPO, primary switch, redis unavailable, dead server noticed, detect dead server, how long until failover, restart redis, redis maintenance, takeover, redis connection lost, database connection lost, server failure, one node down, postgres down',
  '/scaling#processes-for-the-api-and-workers':
    'separate worker, role, background worker, queue worker, microservice, createApplicationContext, standalone application, microservice without http, createMicroservice, cli script that triggers, separate push workers, dedicated worker, queue consumer, ROLE, which process sends webhooks, which process sends pushes, rabbitmq consumer, kafka consumer, microservices, which process handles the webhooks',
  '/scaling#a-rolling-upgrade':
    'zero downtime deploy, blue green, canary, upgrade cluster, version compatibility, without downtime, two versions at once, mixed versions, compatible versions, upgrade without downtime, kubernetes rolling update, blue-green deployment, deploy new version',
  '/operating':
    'production, devops, operations, checklist, administration, run in production, maintenance, sysadmin, production checklist, day two, ops guide',
  '/operating#something-is-wrong':
    'on call, incident, runbook, production is down, outage, emergency, diagnose, outage checklist, site down, users complain, what to check first, realtime is down, debug production, nothing works',
  '/operating#health':
    'health check, liveness, readiness, probe, is it running, alive, uptime, status page, ping, heartbeat url, health endpoint, /health/ready 503, readiness probe fails, load balancer health check, target unhealthy, uptime monitoring, pingdom, healthz, docker healthcheck, the database takes no writes, Redis is away, workers are starting',
  '/operating#metrics':
    'prometheus, monitoring, observability, statsd, datadog, count connections, grafana, version, telemetry, queue length, metric names, prometheus exporter, prometheus endpoint, which metrics, protect metrics, new relic, messages per second metric, how many connections are open, cpu metrics, percentiles, p99, queue depth, cloudwatch metrics, statistics of an app, usage per app, usage statistics, count messages, message count, billing per tenant, which version is running, running version, build info, monitor connections, number of messages, prometheus metrics, metrics endpoint',
  '/operating#dashboard-and-alerts':
    'grafana, alerting, alertmanager, monitoring, pagerduty, on call, alert if webhooks pile up, backlog alert, queue grows, alert rules, prometheus alerts, grafana json, scrape config, monitoring setup',
  '/operating#when-an-alert-fires':
    'runbook, pagerduty, alert meaning, critical, warning, webhook queue growing, webhooks waiting, queue growing, dead letters, event loop blocked, event loop lag, slow database, redis away, publishes waiting, devices gone, clients too slow, several versions, RookeryNotReady, what does this alert mean, escalate',
  '/operating#traces':
    'opentelemetry, otel, jaeger, tracing, span, APM, zipkin, trace a message, open telemetry, distributed tracing, sentry, honeycomb, trace id, correlation id, slow trigger trace',
  '/operating#the-configuration-read-again':
    'reload, hot reload, SIGHUP, change settings without restart, apply config changes, reload config, kill -HUP, systemctl reload, edit apps without restart',
  '/operating#logs':
    'log format, json log, log file, logging, stdout, journald, loki, request id, where are the logs, disable logs, debug logging, log rotation, what is logged, access log, ip addresses in logs, personal data in logs, payloads in logs, message content, verbose, LOG_LEVEL, structured logging, elk, splunk, cloudwatch, syslog, journalctl, increase logging, request logging, find a request in the log, logging of user data, pii, logs too noisy, where is the log, fewer logs, log output, silence logs, log format json, read logs',
  '/operating#upgrading':
    'update, new version, downgrade, rollback, breaking changes, changelog, migrate version, which version, update rookery, upgrade rookery, how to upgrade, update version, rollback version, go back to old version, breaking change, is downgrade possible, upgrade steps, upgrade guide, update to latest, new release install',
  '/operating#docker-kubernetes-systemd':
    'docker compose, docker hub, docker image, container, k8s, helm, pod, image, start on boot, run in background, daemon, service, non-root, grace period, autoscaling, HPA, terminationGracePeriodSeconds, read-only filesystem, volume, nomad, podman, pm2, Dockerfile, docker run, official image, image registry, ghcr, signed image, cosign, ecs, fargate, openshift, docker swarm, coolify, dokku, cloud run, helm chart values, systemd unit, restart policy, exit code 137, SIGKILL, pod termination, preStop hook, deployment yaml, StatefulSet, persistent volume, PodDisruptionBudget, readiness in kubernetes, run as service, portainer, compose file, hetzner, lightsail, graceful stop takes too long, shutdown slow, stop timeout, kill timeout, shutdown grace, deploy with docker compose, deploy to kubernetes, container image, run in docker, compose example, helm install, deployment options',
  '/operating#restarting-one-process':
    'graceful shutdown, restart, deploy, zero downtime, SIGTERM, drain, reconnect backoff, reconnect delay, socket activation, maintenance, stop the server, retry interval, restart without dropping clients, restart without losing connections, disconnect during deploy, deploy without losing clients, drain connections, sigterm handling, how long does restart take, clients reconnect after restart, reconnect storm after deploy, stop gracefully, reconnect strategy, reconnection delay, unavailable after restart',
  '/operating#behind-a-proxy':
    'load balancer, reverse proxy, nginx, haproxy, caddy, traefik, apache, cloudflare, heroku, AWS ALB, ELB, azure, google cloud run, GCP, fly, render, railway, digital ocean, cloudfront, ingress, ngrok, tunnel, idle timeout, 60 seconds, X-Forwarded-For, real IP, disconnects every minute, unix socket, upgrade header, websocket behind nginx, 504 gateway timeout, 502 behind load balancer, cloudflare websocket, disconnect after 60 seconds, disconnect after 100 seconds, aws application load balancer, traefik websocket, apache mod_proxy_wstunnel, X-Forwarded-Proto, client ip behind proxy, wrong client ip, buffering, istio, envoy, kong, IIS, websocket upgrade failed, subdomain, plesk, cpanel, nginx proxy manager, cloudflare tunnel, http/2 websocket, server behind cloudflare, load balancer setup, proxy settings, websocket proxy, proxy timeout, behind load balancer',
  '/operating#proxy-configurations':
    'nginx.conf, haproxy.cfg, Caddyfile, vhost, nginx example, haproxy example, caddy example, traefik labels, apache config, ingress annotations, reload nginx drops connections',
  '/operating#through-an-outbound-proxy':
    'corporate proxy, HTTPS_PROXY, egress, squid, no internet access, behind corporate proxy, http proxy for push, no direct internet, NO_PROXY, apns through proxy, air gapped',
  '/performance':
    'benchmark, load test, throughput, latency, speed, fast, comparison, stress test, k6, artillery, how fast is it, benchmark results, compared with soketi performance, average latency, p99 latency, messages per second, benchmarks',
  '/performance#choose-a-size':
    'sizing, instance size, capacity planning, server requirements, how big a server, cores, RAM, which server do I need, cpu needed, ram needed, how many vCPU, minimum hardware, cost of hosting, small VPS, t3.micro, server size, cost at 10000 users, 10000 users server, infrastructure cost, machine cost, how many servers do I need, capacity plan, which instance type, server for 1000 users, hardware needed',
  '/performance#what-to-expect':
    'tuning, optimization, faster, cost of a delivery, compression cost, cpu per message, messages per second, throughput per core, triggers per second, deliveries per second, how many messages per second, overhead of nest, fastify vs express performance, fan-out cost',
  '/troubleshooting':
    'debug, help, errors, problems, faq, not working, support, issues, diagnose, known problems, fix, error message, does not work, broken, get help, bug report',
  '/troubleshooting#a-client-does-not-connect':
    "WebSocket connection failed, can't connect, connection refused, ECONNREFUSED, handshake, unexpected response code 404, 400, error codes, unavailable, connecting forever, self signed certificate, mixed content, too many open files, origin, 4001, 4009, test the connection, connection state failed, ERR_SSL_PROTOCOL_ERROR, connection unavailable, stuck in connecting, PusherError, WebSocketError, Error during WebSocket handshake, closed before the connection is established, ERR_CONNECTION_REFUSED, net::ERR_CERT_AUTHORITY_INVALID, 4003, 4004, 4005, path not found, 426, 502, refused to connect because it violates, content security policy, CSP connect-src, blocked by CSP, https page ws blocked, insecure websocket, app key not found, could not connect, cannot connect from phone, works locally not in production, certificate error, EMFILE, over connection quota, socket closes immediately, cert authority invalid, hosts not reachable, pusher-js does not connect, pusher-js unavailable, connection fails, connection error, websocket error, cannot connect, fails to connect, not connecting, connection timed out, localhost works, connection closed before established, connection failed in firefox, connection failed in safari, debug websocket frames, logToConsole, enable logging in pusher-js, debug connection",
  '/troubleshooting#a-client-is-disconnected':
    'connection drops, keeps disconnecting, closed, close codes, 1006, 1001, reconnect loop, slow consumer, backpressure, timeout, infinite reconnect, disconnects randomly, unstable, disconnects after a while, 4201 pong, 4200, 4202, 4300, over capacity, ping timeout, drops every few minutes, reconnecting all the time, socket hang up, connection reset, lost connection, kicked out, abnormal closure, code 1005, disconnected for inactivity, mobile disconnects, background tab throttled, hidden tab, app in background disconnects, ios app suspended, phone locks, android doze, connection lost, frequent disconnects, disconnect after idle, connection unstable, random disconnects, disconnect reasons',
  '/troubleshooting#a-subscription-is-refused':
    'subscription error, auth 403, CORS, 404 auth, invalid signature, AuthError, pusher:subscription_error, preflight, not authorized, cookies not sent, 419, JSON returned from auth endpoint was invalid, auth endpoint returns html, auth info required, unable to retrieve auth string, subscription_error 403, subscription_error 401, subscription fails, presence channel full, channel_data, user_id missing, cannot join private channel, invalid auth, unauthorized private channel, auth endpoint 500, auth redirect to login, No current subscription, subscription pending, subscription_succeeded never fires, invalid key in subscription auth data, credentials include, existing subscription to channel, private channel not working, subscription denied, channel auth fails, not authorized private channel, presence subscription error, echo private channel not authorized, cannot subscribe, auth failed, access denied channel, auth endpoint on another domain, other domain, cross-origin auth',
  '/troubleshooting#why-did-a-client-not-get-an-event':
    'event not received, message lost, missing event, nothing happens, event not firing, bind does not work, events not arriving, listener not called, some clients, see what a user received, no events received, subscribed but no events, event sent but not received, works in console but not in app, event missing on second server, bind not called, wrong event name, App\\Events namespace, dot before event name, events only on one server, message did not arrive, messages not arriving, some users do not get messages, sometimes lost, trigger succeeds but nothing happens, enable client events error, bind to all events, bind_global, log every event, listen to all events, debug events in the browser, pusher.user.bind not firing, user event not received, sendToUser, event not arriving, messages not received, no message in browser, listener does not fire, event lost, not receiving events, events stop, client gets nothing',
  '/troubleshooting#a-trigger-is-refused':
    'trigger failed, 401, 413, 429, invalid signature, timestamp expired, payload too large, too large, request refused, http api error, split large events, auth_timestamp, rate limited, trigger returns 401, trigger returns 400, 403 forbidden trigger, trigger returns 404, unknown auth_key, invalid signature 401, body_md5 mismatch, timestamp not within 600s, clock difference, event too large, data content exceeds the allowed maximum, quota exceeded, retry-after, 503 on trigger, too many requests, PusherException, proxy changes path, PusherError unauthorized, 400 invalid channel name, invalid socket id, socket_id invalid, data should be a string, invalid event name, trigger fails, trigger error, publish event error, unauthorized trigger, api returns 401, api error codes, event payload too big, payload limit error',
  '/troubleshooting#a-request-is-answered-500':
    'internal server error, 500, exception, crash, http 500, unexpected error, server error, app_not_found',
  '/troubleshooting#a-push-does-not-arrive':
    'notification not received, no notification, push not working, not showing, BadDeviceToken, not delivered, iphone not android, silent, missing push, InvalidRegistration, MismatchSenderId, DeviceTokenNotForTopic, TopicDisallowed, InvalidProviderToken, ExpiredProviderToken, SENDER_ID_MISMATCH, ios push not working, android push not working, web push not working, CORS error of beams, push only arrives when app is open, app killed, force stopped, battery optimization, doze, xiaomi, samsung, emulator, simulator, not received on ios, not received on android, firefox push, chrome push not shown, ThirdPartyAuthError, UNREGISTERED, INVALID_ARGUMENT, QUOTA_EXCEEDED, QuotaExceeded, BadTopic, TooManyProviderTokenUpdates, MissingTopic, PayloadTooLarge, audience 0, zero devices, push delayed, late push, notifications stopped working, publish returns 200 but no push, notifications disappear, 403 from FCM, 401 publish, Unauthorized publish, no push on one phone, testflight no push, push arrives late, delayed notification, push shows twice, notification twice, duplicate push notification, device registered twice, two notifications, foreground notification not shown, app in foreground, notification while app is open, willPresent, push not delivered, no push on ios, no push on android, notifications not working, push stopped working, not getting notifications, push fails, push error, push only in foreground, push only in background',
  '/troubleshooting#a-webhook-does-not-arrive':
    'webhook failed, webhook not called, not firing, not triggered, missing webhook, webhook late, channel_vacated not sent, member_removed not sent, retry webhook, resend, replay, signature mismatch, webhook queue growing, webhooks pile up, webhook backlog, failed webhooks, webhook 401, webhook signature invalid, localhost webhook, webhook comes twice, webhook delayed three seconds, redirect of webhook, endpoint down, member_removed late, webhooks not working, webhook error, webhook fails, webhook missing, no webhook, webhook endpoint returns 500, webhook endpoint fails, webhook timeout',
  '/troubleshooting#the-server-does-not-start-or-is-not-ready':
    'startup error, crash on start, exits, port in use, EADDRINUSE, database connection, cannot start, 503, hangs, migrations fail, locked, postgres connection refused, ECONNREFUSED 5432, ECONNREFUSED 6379, password authentication failed, database does not exist, cannot connect to redis, redis connection refused, invalid configuration, unknown setting, crash loop, CrashLoopBackOff, container restarts, exits immediately, port already in use, EACCES, permission denied port 443, not ready, 503 not ready, console 404, docs 404, missing environment variable, SQLITE_BUSY at start, cannot find module, MODULE_NOT_FOUND, server crashes at start, start fails, server not starting, startup fails, boot error, config error, redis refused at start',
  '/troubleshooting#the-server-is-slow-or-takes-much-cpu-or-memory':
    'high cpu, memory leak, out of memory, OOM, latency, lag, slow, delay, 100% cpu, heap, memory keeps growing, RSS grows, cpu spikes, event loop lag, high load, messages are delayed, delayed delivery, slow delivery, heap out of memory, JavaScript heap, garbage collection, OOMKilled, exit code 137, performance problem, sluggish, delay between trigger and receive, events delayed, latency between trigger and client, slow queries, OOMKilled pod, set memory limit, max-old-space-size, increase heap, node memory limit, high memory usage, slow server, performance issue, cpu 100, ram usage high, server overloaded',
  '/console':
    'dashboard, admin panel, UI, debug console, web interface, monitoring page, inspector, see what a user received, live view, admin, who is connected right now, see connected clients, connection list, kill a connection, search, web ui, live events view, debug view, see live messages, who is online now admin, send test event from ui, browser ui, inspect connection, connected clients list, monitor channels, open console, admin page, show connected users, see connections, monitor live, debug websocket frames, see frames, inspect messages',
  '/console#turning-it-on':
    'password, enable, disable, forgot password, login, access console, default password, console 404, enable dashboard, set console password, console url, cannot open console, console in production, change console password, protect the console',
  '/console#access':
    'login, session, brute force, wrong password, hide payloads, logout, cookie, read only console, mask sensitive data, hide data, anonymize, console login, content security policy, CSP, XSS, clickjacking, frame-ancestors, same-site cookie, session timeout, too many attempts, hide personal data, hidePayloads, secrets visible, api token for console, csrf of console, rate limit logins, console rate limit, failed logins',
  '/console#what-it-keeps-and-what-it-costs':
    'trace memory, overhead, retention of events, how long does the console keep, performance cost of console, trace retention, disable tracing, privacy of console',
  '/command-line': 'CLI, terminal, commands, shell, version, scripting, which version is running',
  '/command-line#rookery-doctor':
    'check setup, diagnose, verify installation, test the connection, self test, is everything ok, check if server is running, diagnose problems, check dns, check redis, check apns credentials, health of configuration, test push credentials',
  '/command-line#rookery-bench': 'load test, measure latency, benchmark, stress test',
  '/command-line#rookery-config': 'validate configuration, json schema, lint config, check config file',
  '/command-line#rookery-keys': 'generate keys, create credentials, random secret, vapid, app key',
  '/command-line#rookery-apps': 'create app, delete app, remove app, list apps, add app, disable app',
  '/command-line#rookery-trigger':
    'send event from shell, test event, publish from cli, curl, cron job, send test event, trigger from terminal, test event from terminal',
  '/command-line#rookery-subscribe': 'listen from terminal, watch channel, tail, wscat',
  '/command-line#rookery-publish':
    'send test push, push from cli, test notification, push to one device, single device test, push to one device only, specific device, one token, single device',
  '/command-line#rookery-devices': 'list devices, delete device, find device of a user, remove device',
  '/command-line#rookery-users':
    'list members, who is in the room from server, disconnect, terminate connections from shell, kick from cli, list users of a channel',
  '/command-line#rookery-logs':
    'tail, live events, watch, follow, search logs for a user, activity of a user, log all triggers, see all events, watch triggers, print events',
  '/command-line#rookery-why': 'why not received, explain, debug event, why did user not get event, trace event id',
  '/command-line#rookery-webhooks':
    'resend, replay, dead letters, retry failed webhooks, see dead letters, list dead letters, failed webhooks list',
  '/comparison':
    'alternatives, vs, versus, pros and cons, competitors, why rookery, difference, ably, soketi, reverb, centrifugo, sockudo, anycable, mercure, signalr, supabase, pubnub, compare, compared with, compare with pusher, rookery vs pusher, rookery vs ably, rookery vs socket.io, rookery vs soketi, rookery vs reverb, rookery vs centrifugo, differences to pusher, pusher alternatives, open source pusher, self-hosted pusher, feature comparison, does pusher-js work unchanged, do official SDKs work, compatible with pusher-js',
  '/comparison#which-one':
    'choose, should I use, recommendation, when to use, vs, versus, which is better, when not to use rookery, centrifugo, anycable, sockudo, should we switch, is rookery right for me, advantages, disadvantages',
  '/comparison#channels':
    'feature table, soketi vs, reverb vs, license, difference, versus, features compared to pusher, missing features, supported features, license of soketi, rookery vs soketi, soketi',
  '/comparison#socketio':
    'socket.io vs, versus, ws, rookery vs socket.io, difference to socket.io, ws library vs, rookery or socket.io, native websocket, compare socket.io, socket.io or pusher',
  '/comparison#push':
    'beams vs, onesignal vs, firebase vs, push services compared, rookery vs firebase, rookery vs onesignal, beams alternative, fcm alternative, firebase cloud messaging vs beams, fcm vs beams, beams compared with firebase, onesignal compared',
  '/comparison#what-rookery-does-not-do':
    'roadmap, future, planned features, maturity, stable, production ready, limitations, missing, what is not supported, unsupported features, difference to pusher, is it production ready, who maintains it, maintainers, who is behind it, company, team, bus factor, community, discord, how old, used in production, customers, references, beta, alpha, release date, version 1.0, drawbacks, cons, who uses it, users of rookery, companies, adoption, release schedule, next release, release cadence, how old is the project, age of the project, young project',
  '/not-included#prices-plans-and-paid-support':
    'pricing, cost, free tier, billing, license, open source, commercial support, enterprise, SLA, hosted, cloud version, how much does it cost, price per message, price per connection, monthly cost, free plan, commercial use, MIT, support contract, support hours, contact support, hosted version, managed service, SOC 2, ISO 27001, HIPAA, DPA, data processing agreement, compliance, certification, fedramp, PCI, SOC2, subprocessors, sub-processors, third parties, data leaves eu, data sovereignty, schrems, vendor lock-in, cost at 10000 users, cost per user, total cost, budget, cloud hosting options, hosting provider, hosted cloud, who hosts it, SaaS version, managed hosting, is it free, price comparison, pusher pricing alternative, cheaper than pusher, license costs, free for commercial use, enterprise support',
  '/not-included#binary-data-images-and-files':
    'blob, upload, file transfer, protobuf, msgpack, large message, attachment, video, audio, webrtc, base64, arraybuffer, send binary data, send image, send file, send photo in chat, ArrayBuffer, Uint8Array, Buffer, voice message, video call, audio call, webrtc signaling, screen sharing, large payload',
  '/not-included#an-archive-of-messages':
    'event sourcing, persistent messages, store forever, chat log, kafka, message broker, queue, edit message, delete message, permanent storage of messages, chat history forever, message database, message search, search messages, edit sent message, kafka replacement, message queue, rabbitmq, store messages forever, save chat messages, message persistence',
  '/not-included#wildcard-subscriptions-filters-and-tags':
    'pattern subscribe, regex, server side filter, subscribe to all, psubscribe, topic filter, subscribe to multiple channels with wildcard, channel pattern, filter events on server, channel namespaces, subscribe to all channels, tag filter, content filter, prefix subscription',
  '/not-included#an-allowlist-of-ip-addresses':
    'block ip, whitelist, geo blocking, ban ip, country, ip allowlist, restrict by ip, block country, ban ip address, ip ban, tor, vpn block',
  '/not-included#a-windows-service':
    'windows, nssm, raspberry pi, arm, macos, architecture, platform, apple silicon, alpine, run on windows, windows server, IIS, wsl, arm64, raspberry, mac, bsd, m1, alpine linux, musl',
  '/not-included#other-protocols-mqtt-server-sent-events-grpc-http3':
    'SSE, eventsource, http/2, graphql subscriptions, stomp, amqp, quic, iot, webtransport, signalr, sse, graphql subscription, mqtt broker, grpc streaming, http3, wamp, xmpp, other protocol, apollo',
  '/not-included#email-sms-and-chat-services':
    'mail, smtp, twilio, slack, teams, telegram, whatsapp, digest, send email, send sms, slack notification, whatsapp message, omnichannel, email fallback, mailgun, sendgrid',
  '/not-included#roles-single-sign-on-and-two-factor-login-of-the-console':
    'RBAC, user accounts, SSO, LDAP, oauth, 2FA, MFA, team members, permissions, console users, several console accounts, sso for console, 2fa, oidc, saml, read-only user, team access, role based access, okta, azure ad',
  '/not-included#an-audit-log':
    'who changed, admin actions, compliance, SOC 2, history of changes, audit trail, who changed the settings, who deleted, who deleted the app, admin log, log of changes, change log of settings, forensic',
  '/not-included#templates-segments-and-translations-of-pushes':
    'i18n, localization, language, campaign, marketing, personalization, a/b test, segment, multi language push, translate notification, localisation, notification templates, campaigns, ab testing, segments, marketing automation, personalised push, variables in text, geofence, location based push',
  '/not-included#merging-concurrent-edits-crdt':
    'yjs, automerge, collaborative editing, google docs, operational transform, cursors, whiteboard, conflict, yjs provider, collaborative text editor, operational transformation, tiptap, prosemirror, liveblocks',
  '/not-included#several-regions':
    'multi region, geo, global, latency, data center, edge, multi cloud, multi-region deployment, multiple data centers, edge locations, geo replication, users worldwide, latency abroad, asia, cross region, active-active regions, disaster recovery site',
  '/migrating':
    'switch, move from, replace, convert, move to rookery, migration guide, switch from, effort, how hard is it, switch back, go back to pusher, rollback to pusher, migration effort, how long does migration take, undo',
  '/migrating#from-pusher-channels':
    'pusher migration, drop-in replacement, leave pusher, pusher alternative, keep same app key and secret, same credentials, keep app id, without changing clients, move from pusher, replace pusher, pusher to self-hosted, export from pusher, mobile apps already released, change host only, migration steps, import pusher apps, what to change in code, keep webhook urls, webhooks after migration, pusher webhooks, move from pusher to self hosted, migrate from pusher, pusher to rookery, leaving pusher',
  '/migrating#from-pusher-beams':
    'beams shutdown, beams migration, import devices, move from beams, export devices from beams, keep device tokens, beams end of life, beams replacement',
  '/migrating#from-ably-pubnub-firebase-onesignal-supabase-and-others':
    'alternative, replace firebase, appwrite, signalr, pushy, airship, sns, novu, courier, migrate from ably, ably replacement, pubnub replacement, firebase replacement, migrate firebase cloud messaging, onesignal export, onesignal player id, supabase realtime, mercure, symfony mercure, azure signalr, azure web pubsub, aws appsync, phoenix channels, centrifugo migration, action cable migration, convex, expo push service, import devices from onesignal, ably presence, ably history, firebase topics, firestore listeners, websocket server replacement, ws package, hasura, pushwoosh, urban airship, braze, stream chat, sendbird',
  '/mirror':
    'parallel run, dual write, both services, forward events, gradual migration, canary, old and new side by side, run both, phased migration, rollback plan, released mobile apps, old app versions, users who do not update the app, step by step migration, forward triggers to pusher, percentage rollout, zero downtime migration, old mobile app still connects to pusher, app store versions, clients that cannot be updated, run two systems in parallel, two services at once, both systems, parallel operation',
  '/socket-io':
    'websocket gateway, rooms, namespaces, adapter, emit, migrate gateway, socket.io replacement, migrate from socket.io, io.emit, socket.emit, socket.join, rooms equivalent, gateway to rookery, WebSocketGateway, nest websockets',
  '/socket-io#what-differs':
    'binary, volatile, rooms joined by server, catch-all, handleConnection, socket.io differences, emit to specific user, socket.join server side, broadcast flag, volatile emit',
  '/conformance':
    'compatibility, protocol test, pusher compatible, test suite, pusher protocol compliance, certify server, test other servers, compatibility test suite, protocol version 7',
  '/limits': 'quota, maximum, restrictions, thresholds, all limits, quotas, default limits',
  '/limits#channels':
    'rate limit, max size, maximum connections, message size, payload limit, connections per ip, limit members, presence size, name length, throttle, spam, 4301, max channels, room size, events per second, too many, how many connections, max message size, maximum event size, 10 KB limit, increase payload size, maximum members presence, channels per client, channels per connection, subscriptions per connection, maximum channel name length, client events per second, max connections, batch size limit, user_info size, event name length, raise limit, remove limit, message rate, name too long, how many channels, number of connections, rate limits, message limits, quotas of an app, maximum payload, max subscriptions, limits list, default limits of channels, event payload too big, rate limit per user',
  '/limits#what-one-client-may-cause':
    'abuse, flood, DDoS, per ip, NAT, fair use, connections per ip, malicious client, rate limit per connection, one user floods, limit connections per user, limit per ip, protect from abusive clients, spam protection, messages per second per client, denial of service by client, office behind one ip',
  '/limits#streams-and-sessions':
    'ping interval, heartbeat, activity timeout, pong, keepalive, dead connections, detect disconnect, idle clients, disconnect idle, activity_timeout, session length, session size, stream length, heartbeats, keep alive, time until disconnect detected',
  '/limits#push':
    'devices per user, max interests, push rate, payload size, 429, notification size, too many requests, notification payload limit, 4 KB, interests per device, users per publish, interests per publish, publish rate, push payload too big, push title length, 100 interests, number of devices, max ttl, interest name length, topic name rules, allowed characters of interest, push limits, push quota, max devices, max users per publish',
  '/limits#webhooks':
    'webhook timeout, retries, retry schedule, attempts, webhook retries, how long are webhooks retried, webhook attempts, webhook timeout seconds, webhooks per app, backoff of webhooks, dead letter after, dead letters',
  '/options#apps': 'app configuration, app fields, per app settings',
  '/options#instances': 'push configuration, apns config, fcm config',
  '/options#notifications':
    'push delay, pushAfterSeconds, hourly limit, frequency cap, time zone, daily push limit, pushes per user, frequency',
  '/options#redis': 'heartbeat, lease, redis options, key prefix',
  '/http-api':
    'REST API, openapi, swagger, api reference, postman, curl, rest, http endpoint, call without sdk, postman collection, api docs, curl examples',
  '/http-api#trigger-an-event-with-a-signed-request':
    'curl trigger, hmac, auth_signature, body_md5, shell script, bash, without library, own client library, how is auth_signature computed, sign request, hmac sha256, auth_timestamp, trigger with curl, rust trigger, elixir trigger, powershell, bash script, signature algorithm, n8n, zapier, curl trigger example, raw http trigger, trigger without sdk, signed request example',
  '/project/security': 'vulnerability, CVE, disclosure, bug bounty, report',
  '/project/changelog': 'release notes, what is new, versions, changes, what changed, latest version',
  '/conformance#in-a-workflow': 'github actions, gitlab ci, pipeline, continuous integration',
  '/command-line#rookery-channels':
    'list channels, cli, list all channels by prefix, occupied channels, subscription count cli',
  '/project/architecture':
    'internals, source code structure, design, how rookery is built, how does it work internally, code structure, design overview, modules of the source',
  '/protocol/api#members-of-a-channel': 'update member info, change user info in presence, user name, avatar',
  '/protocol/channels-wire#15-closing-and-codes': 'close codes, error code list',
  '/scaling#push-several-processes-on-one-postgresql-database':
    'push to millions, faster push, many devices, push throughput, more workers, push workers, parallel push sending, scale push',
  '/#pages-by-task':
    'table of contents, documentation index, where do I find, sitemap, documentation pdf, offline documentation, llms.txt, all pages',
  '/concepts#connection': 'socket id, what is a connection, websocket session',
  '/concepts#device': 'what is a device, device id, installation, browser as device, get device id',
  '/concepts#user': 'what is a user, user id, signed-in user, identity, user has multiple devices',
  '/private-channel#2-your-server':
    'express auth endpoint, node auth endpoint, authorizeChannel, authenticate in node, express example',
  '/private-channel#3-the-page':
    'html page example, plain javascript, subscribe in the browser, script tag, cdn, pusher.min.js, bind an event, pusher is not defined, Pusher is not a constructor, cannot read properties of undefined reading bind, import pusher, load pusher-js, subscription succeeded callback, bind several events',
  '/recipes': 'how to, cookbook, examples, snippets, tasks',
  '/testing#an-authorizer':
    'test auth endpoint, test channel authorization, test permissions, mock authorizer, unit test authorizer, test access rules',
  '/channels#ports-for-several-processes':
    'broker, shared state, custom broker, nats, kafka, rabbitmq, own adapter, rabbitmq broker, custom transport between processes',
  '/channels#settings-of-the-module': 'channels module options, activity timeout, ping, forRoot options',
  '/client-events#guards-of-sockets':
    'websocket guard, interceptors, pipes, exception filters, WsException, UseGuards gateway, intercept every message, log all messages, middleware for sockets, ws guard, rate limit messages in my code',
  '/typed-events#trigger': 'TypedEvents, validate data before sending, compile error',
  '/typed-events#listen': 'typed client, types in the page, typed subscribe, typescript frontend',
  '/hooks#types': 'typescript types of hooks, generics',
  '/hooks#a-typing-indicator': 'react typing indicator',
  '/hooks#an-example': 'example app react, demo project',
  '/tabs#what-differs': 'shared worker limitations, safari shared worker, iframe',
  '/tabs#when-a-tab-closes': 'close one tab, tab closed, user has two tabs open',
  '/sdks/#see-that-it-works': 'test my setup, check the connection, first test event, smoke test, verify sdk',
  '/sdks/react-native': 'mobile app javascript, expo go, metro, hermes',
  '/sdks/react-native#with-the-native-sdk':
    '@pusher/pusher-websocket-react-native, native module, host not configurable',
  '/sdks/react-native#authorizing-subscriptions': 'auth in react native, private channel in expo, token header',
  '/sdks/flutter#channels-with-a-community-client':
    'dart websocket client, pusher_channels_flutter host, connect from flutter, dart_pusher_channels, flutter web, private channel in flutter, laravel_echo flutter',
  '/sdks/flutter#channels-with-a-fork-of-the-plugin': 'pusher_channels_flutter custom host, fork, patch plugin',
  '/sdks/flutter#authorizing-subscriptions': 'auth in flutter, onAuthorizer, private channel flutter',
  '/sdks/swift#channels-on-your-server': 'vapor, server side swift',
  '/sdks/dotnet#channels-the-client':
    'C# client, PusherClient, unity client, wpf, maui client, blazor client, connect from C#',
  '/sdks/dotnet#push': 'push from C#, send notification from .NET, beams dotnet, publish to users from C#',
  '/sdks/laravel#on-your-server':
    'ShouldBroadcast, broadcast event, ShouldBroadcastNow, queue worker, broadcastOn, broadcastAs, toOthers, event not sent from laravel, notification broadcast',
  '/sdks/laravel#beams': 'laravel push notifications, notification channel, laravel notifications push',
  '/sdks/laravel#what-differs': 'laravel pulse, reverb vs rookery, whisper, laravel limitations',
  '/authorization#several-apps-several-keys': 'authorizer for several apps, which app, app key in auth',
  '/apps#replace-a-secret': 'rotate app secret api, rotate key from cli',
  '/apps#in-your-own-application': 'create app from nest, AppsService',
  '/state#in-the-page': 'useState of channel, read state in the browser, apply changes',
  '/state#what-you-can-rely-on': 'race between load and subscribe, consistent snapshot, no missed change',
  '/requests#errors': 'request refused, error of request, request timeout, validation error, throw in OnRequest',
  '/requests#in-the-page': 'request() in browser, ask from javascript, await answer',
  '/receipts#what-to-know': 'receipts limits, group size, privacy of receipts',
  '/receipts#in-your-application': 'OnSeen, read receipts in nest',
  '/streams#in-the-page': 'show stream in the browser, streamed()',
  '/streams#from-other-languages': 'stream from python, stream over http, langchain python',
  '/streams#what-goes-over-the-wire': 'chunks, size of pieces, protocol of streams',
  '/ai#when-no-page-is-open': 'user closes tab during answer, notify when answer is finished',
  '/transactions#with-typeorm': 'send event after commit, prisma transaction, queryRunner, EntityManager',
  '/other-orms#on-mysql-mariadb-sql-server-or-mongodb':
    'mysql support, mongodb support, mariadb, sql server, mssql, oracle, cockroachdb, planetscale, without postgres, sqlite only, dynamodb, cassandra',
  '/other-orms#on-postgresql': 'prisma with postgres, schema, prisma migrate drift, own schema, search_path',
  '/delivery#connections-that-break': 'message loss percentage, mobile network test, packet loss, reliability compared',
  '/push#guards-on-your-own-routes': 'check beams token in my controller, verify beams secret key',
  '/notifications#what-it-guarantees': 'notification delivered once, never both push and toast, lost notification',
  '/live-activities#starting': 'start live activity by push, push to start token, pushToken updates',
  '/live-activities#the-channel-of-an-interest': 'activitykit swift, widget extension',
  '/live-activities#updating-and-ending':
    'update live activity, end live activity, live activity not updating, content-state',
  '/live-activities#once': 'set up live activities, broadcast capability, entitlement',
  '/live-activities#the-limit-of-channels': 'too many live activity channels, 10000 channels',
  '/three-machines#1-postgresql-on-front': 'install postgres, pg_hba, create database user',
  '/three-machines#2-redis-on-front': 'install redis, redis config, maxmemory-policy',
  '/three-machines#3-rookery-on-one-and-two': 'systemd unit setup, install on debian, service user',
  '/three-machines#what-can-still-fail':
    'single point of failure, spof, nginx fails, keepalived, floating ip, failover of load balancer',
  '/performance#measure-your-own':
    'run the benchmark, own benchmark, reproduce benchmark, load testing tool, soketi performance, reverb performance, benchmark against soketi, compare speed, is it faster',
  '/performance#measured':
    'benchmark table, figures, raw numbers, rookery vs soketi speed, latency numbers, push throughput per second, pushes per second',
  '/console#behind-a-proxy': 'console behind nginx, console subpath, restrict console by ip, console basic auth',
  '/command-line#rookery-serve': 'start the server command, serve command, options of start',
  '/command-line#rookery-init': 'init project, scaffold nest, generator',
  '/command-line#rookery-open': 'open console in browser',
  '/command-line#rookery-notify': 'notify from shell, send notification from cli',
  '/command-line#rookery-publishes':
    'list publishes, state of a publish, cancel publish, show outcome, cancel scheduled push',
  '/command-line#rookery-import': 'import devices, import tokens from file, jsonl',
  '/command-line#rookery-migrate': 'run migrations, migrate database before start, migration job',
  '/command-line#rookery-conformance': 'test pusher compatibility, judge a server',
  '/command-line#rookery-completion': 'bash completion, zsh completion, tab completion, fish',
  '/command-line#rookery-migrate-from': 'convert soketi config, convert reverb config, import configuration',
  '/comparison#conformance': 'is it pusher compatible, compatibility score, soketi bugs, reverb bugs, test results',
  '/not-included': 'missing features, what is not supported, unsupported, limitations, not implemented',
  '/not-included#encryption-at-rest':
    'data at rest, database encryption, encrypted disk, TDE, is data encrypted, stored unencrypted',
  '/not-included#huawei-windows-and-other-push-services':
    'huawei push, hms, windows push, wns, amazon adm, baidu, xiaomi push, kindle, fire tablet, tizen, smart tv',
  '/migrating#from-soketi':
    'soketi replacement, soketi env variables, SOKETI_DEFAULT_APP_ID, app manager mysql, soketi config, soketi abandoned, soketi alternative, quantum metric, soketi redis, move from soketi',
  '/migrating#from-laravel-reverb':
    'reverb replacement, replace reverb, REVERB_APP_KEY, reverb to rookery, beyondcode websockets, laravel-websockets, REVERB_HOST',
  '/mirror#step-by-step':
    'move clients gradually, percentage of users, migration steps, canary clients, switch back, go back to pusher, undo the move, rollback migration',
  '/mirror#what-stays-on-each-side':
    'presence during migration, webhooks during migration, double webhooks, migrate presence channels, move presence',
  '/socket-io#namespaces': 'socket.io namespaces equivalent, namespace auth, io.of',
  '/socket-io#adapters': 'redis adapter, socket.io redis adapter equivalent, sticky sessions socket.io, RedisIoAdapter',
  '/limits#what-is-kept': 'keptBytes, memory per app, Too much is kept for the app, history size limit',
  '/limits#requests-processes': 'request limits, http request body size, headers timeout',
  '/http-api#ask-with-a-signed-get':
    'get channels with curl, presence users with curl, list channels http, signed GET, filter_by_prefix, user_count, subscription_count http, how to sign a get request, sign get request, query signature, list members of presence channel http, get users of channel, list channels api, channel info api',
  '/http-api#sign-a-subscription':
    'channel auth signature, sign auth token by hand, own auth endpoint without library, how is the auth token computed, rust auth, elixir auth, auth string format',
  '/http-api#publish-a-push-notification':
    'send push with curl, publish to interest curl, publish api, rest push, push from bash, beams rest api, secret key header, push from any language',
  '/http-api#openapi-documents': 'swagger json, generate client, openapi spec, api schema, postman import',
  '/project/security#reporting-a-vulnerability':
    'report a security issue, responsible disclosure, security contact, bug bounty, CVE, CVE history, advisories, known vulnerabilities',
  '/project/security#which-versions-get-fixes':
    'supported versions, security updates, LTS, end of life, long term support, CVE history, advisories, security patches',
  '/project/security#how-it-is-tested':
    'fuzzing, security tests, penetration tests, audited, third-party audit, penetration test report, pentest, security audit report, external audit',
  '/project/releasing#audit':
    'sbom, npm audit, dependencies vulnerabilities, dependency scan, cyclonedx, third party dependencies, snyk, licenses of dependencies',
  '/project/releasing#publish':
    'provenance, supply chain, signed releases, reproducible build, image digest, slsa, sigstore, base image',
  '/project/releasing#what-a-version-promises':
    'semver, api stability, backward compatible, breaking changes policy, deprecation policy, which node versions, LTS, stable api, upgrade guarantee, release schedule, release cadence, release cycle, versioning',
  '/project/contributing': 'contribute, pull request, open issue, development setup, how to contribute',
  '/project/contributing#tests': 'run the tests, test suite, ci',
  '/project/contributing#what-we-do-not-accept': 'feature request, contributor license, CLA',
  '/project/architecture#the-way-of-a-trigger': 'what happens when an event is triggered, data flow, sequence diagram',
};

/** The names under which readers ask for the page of an SDK. */
const languages = {
  dotnet: 'C#, .NET, csharp, asp.net',
  flutter: 'flutter, dart',
  go: 'go, golang',
  java: 'java, kotlin, spring',
  laravel: 'laravel, php',
  php: 'php, symfony',
  python: 'python, django, flask, fastapi',
  'react-native': 'react native, expo',
  ruby: 'ruby, rails',
  swift: 'swift, ios',
};

/** These pages have sections in common: what they are asked for, and which pages have them. */
const commonSections = {
  'channels-the-client': ['client, connect, subscribe, listen, receive events', 'dotnet java swift'],
  'channels-on-your-server': [
    'trigger event, publish event, send event from server, server library, host, port, batch, terminate connections',
    'dotnet go java php python ruby swift',
  ],
  'authorizing-subscriptions': [
    'auth endpoint, authenticate, authorize private channel, presence channel, sign',
    'dotnet flutter go java laravel php python react-native ruby swift',
  ],
  'receiving-webhooks': [
    'verify webhook signature, validate webhook, webhook handler, webhook endpoint',
    'dotnet go java laravel php python ruby swift',
  ],
  'beams-on-your-server': [
    'send push notification, publish to users, publish to interests, beams token, generate token, server',
    'go java php python ruby',
  ],
  'what-differs': [
    'limitations, known issues, does not work, bugs',
    'dotnet flutter go java laravel php python ruby swift',
  ],
  'see-that-it-works': ['test, check the setup', 'dotnet flutter go java laravel php python react-native ruby swift'],
};

const ofSdks = Object.entries(commonSections).flatMap(([section, [words, pages]]) =>
  pages.split(' ').map((page) => [`/sdks/${page}#${section}`, `${languages[page]}, ${words}`]),
);

export const searchWords = {
  ...ofSections,
  ...Object.fromEntries(ofSdks.map(([id, words]) => [id, [ofSections[id], words].filter(Boolean).join(', ')])),
};
