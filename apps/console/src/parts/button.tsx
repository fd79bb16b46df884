import type { ComponentChildren, ComponentProps } from 'preact';
import { Link } from 'wouter-preact';

/** @param props.look `main`, `danger`, `plain` or `icon` */
export const Button = ({ look = '', type = 'button', ...others }: ComponentProps<'button'> & { look?: string }) => (
  <button type={type} class={`button ${look}`} {...others} />
);

/** A form that does not leave its page. */
export const Form = ({ onSubmit, ...others }: Omit<ComponentProps<'form'>, 'onSubmit'> & { onSubmit(): void }) => (
  <form
    {...others}
    onSubmit={(event) => {
      event.preventDefault();
      onSubmit();
    }}
  />
);

/** The button that submits a form. */
export const Submit = (props: ComponentProps<'button'>) => <Button type="submit" look="main" {...props} />;

export const LinkButton = ({ to, children }: { readonly to: string; readonly children: ComponentChildren }) => (
  <Link class="button" href={to}>
    {children}
  </Link>
);
