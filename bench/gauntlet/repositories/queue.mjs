// A Ruby project with minitest: a queue with urgent items first.

const source = (push) => `class TaskQueue
  def initialize
    @items = []
  end

  def push(item, urgent: false)
${push}
    self
  end

  def shift
    raise IndexError, 'nothing is waiting' if @items.empty?

    @items.shift
  end
end
`

export default {
  language: 'ruby',
  needs: ['ruby'],
  prompt:
    'Let TaskQueue in lib/task_queue.rb put urgent items before the others; among urgent ones the first stays first.',
  files: {
    Rakefile: `require 'rake/testtask'

Rake::TestTask.new do |task|
  task.libs << 'lib'
  task.pattern = 'test/*_test.rb'
end

task default: :test
`,
    'lib/task_queue.rb': source('    @items.push(item)'),
    'test/task_queue_test.rb': `require 'minitest/autorun'
require 'task_queue'

class TaskQueueTest < Minitest::Test
  def test_first_come_first_served
    assert_equal 1, TaskQueue.new.push(1).push(2).shift
  end

  def test_urgent_comes_first
    assert_equal 2, TaskQueue.new.push(1).push(2, urgent: true).shift
  end

  def test_nothing_is_waiting
    assert_raises(IndexError) { TaskQueue.new.shift }
  end
end
`,
  },
  test: 'ruby -Ilib -Itest test/task_queue_test.rb',
  args: ['--test', 'ruby -Ilib -Itest test/task_queue_test.rb'],
  half: { 'lib/task_queue.rb': source('    urgent ? @items.unshift(item, item) : @items.push(item)') },
  solved: {
    'lib/task_queue.rb': source(
      '    @urgent = (@urgent || 0)\n    urgent ? @items.insert(@urgent, item) : @items.push(item)\n    @urgent += 1 if urgent',
    ).replace('    @items.shift\n', '    @urgent = [(@urgent || 0) - 1, 0].max\n    @items.shift\n'),
  },
  hidden: {
    files: {
      'acceptance.rb': `$LOAD_PATH.unshift('lib')
require 'task_queue'
queue = TaskQueue.new.push(1).push(2, urgent: true).push(3).push(4, urgent: true)
got = Array.new(4) { queue.shift }
raise got.inspect unless got == [2, 4, 1, 3]
puts 'accepted'
`,
    },
    command: ['ruby', 'acceptance.rb'],
    says: 'accepted',
  },
}
