/**
 * The parts that the clients of HDFS and HBase share: their configuration, read from named files, and their login.
 * Entry types: {@link org.talos.server.hadoop.ClientConfiguration}, {@link org.talos.server.hadoop.HadoopLogin}. One
 * thread of its own, which keeps the Kerberos ticket fresh.
 */
@NullMarked
package org.talos.server.hadoop;

import org.jspecify.annotations.NullMarked;
