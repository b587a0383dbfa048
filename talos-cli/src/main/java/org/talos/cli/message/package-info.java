/** Messages outside of the server: lines and files that are put, what is printed of what was got. */
@NullMarked
package org.talos.cli.message;

import org.jspecify.annotations.NullMarked;
