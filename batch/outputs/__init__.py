"""The files of a shard: rows as JSONL and Parquet, raw answers as WARC. All are made from the same rows."""

from batch.outputs.shard import ShardFile, check_packages, write_shard

__all__ = ["ShardFile", "check_packages", "write_shard"]
