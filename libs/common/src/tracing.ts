import {
  type Attributes,
  context,
  ProxyTracerProvider,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { version } from './version.js';

/** Creates the spans of a host without an SDK. */
const noTracer = new ProxyTracerProvider().getDelegate();

const traceparents = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** A recorded span. */
export class TracedWork {
  constructor(private readonly span: Span) {}

  /** The trace context for child spans: W3C Trace Context, `00-<trace>-<span>-<flags>`. */
  get traceparent(): string {
    const { traceId, spanId, traceFlags } = this.span.spanContext();
    return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
  }

  end(): void {
    this.span.end();
  }

  /** Ends the span when `work` settles, and returns its result. */
  async until<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      this.span.setStatus({ code: SpanStatusCode.ERROR, message: String(error) });
      throw error;
    } finally {
      this.span.end();
    }
  }
}

/**
 * Starts a span, as a child of `traceparent` or of the host's current span.
 * @returns undefined if it is not recorded, so that it costs nothing more
 */
export function traced(name: string, kind: keyof typeof SpanKind, attributes: Attributes, traceparent?: string) {
  if (isForNobody()) return undefined;
  // Asked for each time: the host may set up its SDK later, and in another copy of the API.
  const tracer = trace.getTracer('rookery', version);
  const span = tracer.startSpan(name, { kind: SpanKind[kind], attributes }, parentOf(traceparent));
  return span.isRecording() ? new TracedWork(span) : undefined;
}

/** Most hosts do not trace, so their triggers need not create spans. */
function isForNobody(): boolean {
  const provider = trace.getTracerProvider();
  return provider instanceof ProxyTracerProvider && provider.getDelegate() === noTracer;
}

function parentOf(traceparent: string | undefined) {
  const [, traceId, spanId, flags] = (traceparent && traceparents.exec(traceparent)) || [];
  if (!traceId || !spanId || !flags) return context.active();
  return trace.setSpanContext(context.active(), {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
  });
}
